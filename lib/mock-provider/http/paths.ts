/** The paths of the service spec. */
export const PATHS = {
  openidConfiguration: '/.well-known/openid-configuration',
  authorizationServer: '/.well-known/oauth-authorization-server',
  jwks: '/.well-known/jwks.json',
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  userinfo: '/oauth/userinfo',
  sessionState: '/oauth/session_state',
  logout: '/oauth/logout',
  currentUser: '/api/v1/users/current',
  colleagues: '/api/v1/colleagues',
  rateLimit: '/api/v1/rate_limit',
} as const;

/** The paths of the pages and their files. The service spec defines only that of the new message. */
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
  photo: '/oauth/photo.svg',
  newMessage: '/inbox/conversations/new_message',
  inbox: '/inbox/conversations',
  shareScript: '/share-button.js',
} as const;

/** Names the addresses of the service spec that may have their own origins: {auth_url} and {base_url}. */
export type Address = 'issuer' | 'api';

/** The pages and files that the inbox needs too, and the script. */
const AT_BOTH_ADDRESSES: ReadonlySet<string> = new Set<string>([
  PAGE_PATHS.signIn,
  PAGE_PATHS.signOut,
  PAGE_PATHS.style,
  PAGE_PATHS.logo,
  PAGE_PATHS.photo,
  PAGE_PATHS.shareScript,
]);

/** @returns true for a path of this address, and for every path if the two addresses have one origin. */
export function isAtAddress(path: string, address: Address | undefined): boolean {
  if (address === undefined || AT_BOTH_ADDRESSES.has(path)) return true;
  return (address === 'api') === (isAPIPath(path) || path.startsWith('/inbox/'));
}

/** @returns true for a path of the resource API. */
export function isAPIPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}
