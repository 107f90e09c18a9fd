import { PAGE_PATHS } from '../http/paths.js';
import { redirectResponse } from '../http/response.js';
import { pageResponse } from '../pages/page.js';
import { verificationPage } from '../pages/verification-page.js';
import type { BrowserSessions } from './browser-sessions.js';
import type { Dispatch } from './dispatcher.js';
import type { InteractionLookup } from './interaction-context.js';
import { type PageEndpoints, signInAddress } from './sign-in.js';

/**
 * Creates GET and POST /oauth/verification. GET shows whether the user is verified; POST continues to the application without
 * waiting.
 */
export function createVerificationPage(
  lookup: InteractionLookup,
  browserSessions: BrowserSessions,
  dispatch: Dispatch,
): PageEndpoints {
  return {
    GET(http) {
      const session = browserSessions.current(http);
      if (session === undefined) return redirectResponse(http.method, signInAddress(PAGE_PATHS.verification));
      const { isVerified, displayName } = session.account;
      const body = verificationPage({ isVerified, displayName, reloadAt: PAGE_PATHS.verification });
      return pageResponse({ title: 'Your verification', body });
    },
    POST: lookup.form((http, context) => {
      context.interaction.hasSeenVerification = true;
      return dispatch(http, context);
    }),
  };
}
