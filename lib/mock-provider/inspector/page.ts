import { FAULT_NAMES, FAULTS } from '../faults/catalogue.js';
import type { FaultKind } from '../faults/fault.js';
import type { ProviderResponse } from '../http/response.js';
import { html, type Markup } from '../pages/html.js';
import { LOGO } from '../pages/logo.js';
import { INSPECTOR } from './paths.js';

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

const KIND_TITLES: Readonly<Record<FaultKind, string>> = {
  idToken: 'ID Token',
  tokenResponse: 'Token response',
  redirect: 'Redirect to the site',
  logout: 'Logout',
  document: 'Metadata and keys',
  userinfo: 'Userinfo',
  profile: 'Profile',
  failure: 'Provider failure',
  response: 'HTTP response',
};

/** The options of the select, by kind of fault. */
const FAULT_GROUPS: readonly Markup[] = Object.entries(KIND_TITLES).map(([kind, title]) => {
  const names = FAULT_NAMES.filter((name) => FAULTS[name].kind === kind);
  const options = names.map((name) => html`<option title="${FAULTS[name].description}">${name}</option>`);
  return html`<optgroup label="${title}">${options}</optgroup>`;
});

/**
 * @returns the inspector's page, which its script fills.
 * @param token authorizes the operations of the buttons; random for each start of the provider
 * @param run identifies the start: the page reloads itself after a restart
 */
export function inspectorPage(token: string, run: string): ProviderResponse {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="inspector-token" content="${token}">
<meta name="inspector-run" content="${run}">
<title>Inspector - Clinician Identity (mock)</title>
<link rel="stylesheet" href="${INSPECTOR.style}">
<link rel="icon" href="${INSPECTOR.logo}" type="image/svg+xml">
<script src="${INSPECTOR.script}" defer></script>
</head>
<body>
<a class="skip" href="#logins">Skip to the logins</a>
<header class="top">
<div class="brand">${LOGO}<h1>Inspector</h1><span class="tag">Mock</span></div>
<p class="address"><span id="live" class="live" role="status">Starting</span><code id="issuer"></code></p>
<section class="clock" aria-labelledby="clock-title"><h2 id="clock-title" class="hidden">Clock</h2><div id="clock"></div></section>
<p class="next"><label for="fault">Next response</label><select id="fault"><option value="">correct</option>${FAULT_GROUPS}</select></p>
<button type="button" class="quiet" id="reset" title="Deletes logins, tokens, faults and records, and resets the clock. Clients and added clinicians remain.">Reset</button>
</header>
<p id="alert" role="alert" class="alert" hidden></p>
<p id="announcement" class="hidden" aria-live="polite"></p>
<main id="logins" tabindex="-1">
<section class="card" aria-labelledby="logins-title" id="list-card" hidden>
<h2 id="logins-title">Logins</h2>
<div id="login-list"></div>
</section>
<div id="detail"></div>
</main>
<noscript><p class="alert">The inspector needs JavaScript. Alternatively use the control API: start the provider with control: true.</p></noscript>
</body>
</html>
`;
  return { status: 200, headers: { ...HEADERS }, body: document.text };
}
