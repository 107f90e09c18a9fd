/** Lists the paths of the pages and their files. The service spec defines only that of the new message. */
export const PAGE_PATHS = {
  resume: '/oauth/resume',
  login: '/oauth/login',
  registration: '/oauth/registration',
  verification: '/oauth/verification',
  consent: '/oauth/consent',
  signIn: '/oauth/sign-in',
  signOut: '/oauth/sign-out',
  style: '/oauth/pages.css',
  logo: '/oauth/logo.svg',
  newMessage: '/inbox/conversations/new_message',
  inbox: '/inbox/conversations',
  shareScript: '/share-button.js',
} as const;
