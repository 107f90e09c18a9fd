import { type HTML, html } from './escape.js';
import { isWebAddress, linkTarget } from './link-target.js';

export interface SessionCheckPageOptions {
  /** The address of the client script, on the site's own origin. */
  script: string;
  /** The authorization server's `check_session_iframe`. */
  checkSessionIframe: string;
  clientID: string;
  /** The `session_state` of the login (OIDC Session Management 2). Without one there is nothing to check, and the page is idle. */
  sessionState?: string | undefined;
  /** Where a silent check starts: an authorization request with `prompt=none` that ends on {@link silentCheckPage}. */
  silentCheck: string;
  /** Where a POST signs out here, for when the service says that nobody is signed in there any more. */
  signOut: string;
  /** How often the service is asked, in milliseconds, give or take a fifth. Never under two seconds. @default 30000 */
  interval?: number | undefined;
}

/**
 * The page that watches the session at the service (service spec, "Session check"; OIDC Session Management 3.1). It is loaded in a
 * hidden frame of the site's pages, from the origin of the redirect URI. What it knows is in data- attributes; what it does
 * is in the client script.
 */
export function sessionCheckPage(options: SessionCheckPageOptions): string {
  const { script, checkSessionIframe, clientID, sessionState, silentCheck, signOut, interval } = options;
  const pace = interval !== undefined && html` data-interval="${interval}"`;
  const watched = html` data-client-id="${clientID}" data-session-state="${sessionState}" data-frame="${checkSessionIframe}" data-silent-check="${linkTarget(silentCheck)}" data-sign-out="${linkTarget(signOut)}"${pace}`;
  const watching = sessionState !== undefined && isWebAddress(checkSessionIframe);
  return bare('Session check', script, html`<div data-clinician-session-check${watching && watched}></div>`);
}

/** What a silent check found out: `same` person, still signed in; nobody is (`login_required`); the session here was `ended`. */
export type SilentOutcome = 'same' | 'login_required' | 'ended' | 'error';

export interface SilentCheckPageOptions {
  /** The address of the client script, on the site's own origin. */
  script: string;
  outcome: SilentOutcome;
  /** The new `session_state`, where it is the same person. */
  sessionState?: string | undefined;
}

/** Where a silent check ends: tells the page that asked for it, and nobody else. */
export function silentCheckPage({ script, outcome, sessionState }: SilentCheckPageOptions): string {
  const state = sessionState !== undefined && html` data-session-state="${sessionState}"`;
  return bare('Session check', script, html`<div data-clinician-outcome="${outcome}"${state}></div>`);
}

/** The frame that watches, for the site's pages: never seen, never heard, never reached by the keyboard. */
export function sessionCheckFrame({ src }: { src: string }): string {
  return html`<iframe class="clinician-session-check" src="${linkTarget(src)}" title="Session check" aria-hidden="true" tabindex="-1" hidden></iframe>`.toString();
}

/** The Content-Security-Policy of {@link sessionCheckPage}. X-Frame-Options, where it is sent at all, must say SAMEORIGIN. */
export function sessionCheckPolicy(checkSessionIframe: string): string {
  const service = URL.canParse(checkSessionIframe) ? ` ${new URL(checkSessionIframe).origin}` : '';
  return `default-src 'none'; script-src 'self'; connect-src 'self'; frame-src 'self'${service}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;
}

/** The Content-Security-Policy of {@link silentCheckPage}. */
export const silentCheckPolicy =
  "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

function bare(title: string, script: string, body: HTML): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<script src="${linkTarget(script)}" defer></script>
</head>
<body>${body}</body>
</html>
`.toString();
}
