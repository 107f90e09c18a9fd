import { html, isWebAddress, linkTarget } from '../html/escape.js';
import { embed, type Page } from '../html/page.js';
import type { CompleteTexts } from '../html/texts.js';
import script from './browser/session-check.js?text';

const PAGE_SCRIPT = embed('script', script);

export interface SessionCheckPageOptions {
  /** The authorization server's `check_session_iframe`. */
  checkSessionIframe: string;
  clientID: string;
  /** The `session_state` of the login (OIDC Session Management 2). Without one the page checks nothing. */
  sessionState?: string | undefined;
  texts: CompleteTexts;
}

/**
 * @returns the page that checks the session at the service (service spec, "Session check"; OIDC Session Management 3.1). The
 * site's pages load it in a hidden frame, from the origin of the redirect URI. Its parameters are data- attributes, which its
 * script reads. The script reports a change with a POST to the address of the page, and to the page around the frame.
 */
export function sessionCheckPage(options: SessionCheckPageOptions): Page {
  const { checkSessionIframe, clientID, sessionState, texts } = options;
  const parameters = html` data-client-id="${clientID}" data-session-state="${sessionState}" data-frame="${checkSessionIframe}"`;
  const isActive = sessionState !== undefined && isWebAddress(checkSessionIframe);
  const document = html`<!doctype html>
<html lang="${texts.lang}">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${texts.sessionCheck}</title>
</head>
<body><div data-clinician-session-check${isActive && parameters}></div>${PAGE_SCRIPT.element}</body>
</html>
`;
  return { html: document.toString(), policy: sessionCheckPolicy(checkSessionIframe) };
}

/** @returns the hidden frame of the session check for the site's pages. Screen readers and the keyboard skip it. */
export function sessionCheckFrame(src: string, texts: CompleteTexts): string {
  return html`<iframe class="clinician-session-check" src="${linkTarget(src)}" title="${texts.sessionCheck}" aria-hidden="true" tabindex="-1" hidden></iframe>`.toString();
}

/** @returns the Content-Security-Policy. X-Frame-Options, if sent, must be SAMEORIGIN. */
function sessionCheckPolicy(checkSessionIframe: string): string {
  const service = URL.canParse(checkSessionIframe) ? new URL(checkSessionIframe).origin : "'none'";
  return `default-src 'none'; script-src ${PAGE_SCRIPT.source}; connect-src 'self'; frame-src ${service}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;
}
