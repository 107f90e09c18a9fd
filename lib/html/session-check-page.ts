import { type HTML, html, isWebAddress, linkTarget } from './escape.js';

export interface SessionCheckPageOptions {
  /** The address of the client script, on the site's own origin. */
  script: string;
  /** The authorization server's `check_session_iframe`. */
  checkSessionIframe: string;
  clientID: string;
  /** The `session_state` of the login (OIDC Session Management 2). Without one the page checks nothing. */
  sessionState?: string | undefined;
  /** The address of a silent check: an authorization request with `prompt=none` that ends on {@link silentCheckPage}. */
  silentCheck: string;
  /** The address of a POST that signs out here, for when the user is no longer signed in at the service. */
  signOut: string;
  /** The time between two checks in milliseconds, varied by a fifth; at least 2000. @default 30000 */
  interval?: number | undefined;
}

/**
 * Returns the page that checks the session at the service (service spec, "Session check"; OIDC Session Management 3.1). The
 * site's pages load it in a hidden frame, from the origin of the redirect URI. Its parameters are data- attributes, which the
 * client script reads.
 */
export function sessionCheckPage(options: SessionCheckPageOptions): string {
  const { script, checkSessionIframe, clientID, sessionState, silentCheck, signOut, interval } = options;
  const intervalData = interval !== undefined && html` data-interval="${interval}"`;
  const parameters = html` data-client-id="${clientID}" data-session-state="${sessionState}" data-frame="${checkSessionIframe}" data-silent-check="${linkTarget(silentCheck)}" data-sign-out="${linkTarget(signOut)}"${intervalData}`;
  const isActive = sessionState !== undefined && isWebAddress(checkSessionIframe);
  return framePage(script, html`<div data-clinician-session-check${isActive && parameters}></div>`);
}

/**
 * Lists the results of a silent check: the `same` user is still signed in at the service, no user is (`login_required`), or the
 * session here has `ended`.
 */
export type SilentOutcome = 'same' | 'login_required' | 'ended' | 'error';

interface SilentCheckPageOptions {
  /** The address of the client script, on the site's own origin. */
  script: string;
  outcome: SilentOutcome;
  /** The new `session_state`, for the same user. */
  sessionState?: string | undefined;
}

/** Returns the last page of a silent check: its script reports the outcome to the page around the frame, on this origin only. */
export function silentCheckPage({ script, outcome, sessionState }: SilentCheckPageOptions): string {
  const state = sessionState !== undefined && html` data-session-state="${sessionState}"`;
  return framePage(script, html`<div data-clinician-outcome="${outcome}"${state}></div>`);
}

/** Returns the hidden frame of the session check for the site's pages. Screen readers and the keyboard skip it. */
export function sessionCheckFrame({ src }: { src: string }): string {
  return html`<iframe class="clinician-session-check" src="${linkTarget(src)}" title="Session check" aria-hidden="true" tabindex="-1" hidden></iframe>`.toString();
}

/** Returns the Content-Security-Policy of {@link sessionCheckPage}. X-Frame-Options, if sent, must be SAMEORIGIN. */
export function sessionCheckPolicy(checkSessionIframe: string): string {
  const service = URL.canParse(checkSessionIframe) ? ` ${new URL(checkSessionIframe).origin}` : '';
  return `default-src 'none'; script-src 'self'; connect-src 'self'; frame-src 'self'${service}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;
}

/** Holds the Content-Security-Policy of {@link silentCheckPage}. */
export const silentCheckPolicy =
  "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

function framePage(script: string, body: HTML): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>Session check</title>
<script src="${linkTarget(script)}" defer></script>
</head>
<body>${body}</body>
</html>
`.toString();
}
