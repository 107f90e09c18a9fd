import type { ProviderResponse } from '../http/response.js';
import { html } from '../pages/html.js';
import { LOGO } from '../pages/logo.js';
import { RESULTS } from './login-status.js';
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
<div class="brand">${LOGO}<h1>Inspector</h1><span class="tag">Mock provider</span></div>
<p class="address"><span id="live" class="live" role="status">Starting</span><code id="issuer"></code></p>
<section class="clock" aria-labelledby="clock-title"><h2 id="clock-title" class="hidden">Clock</h2><div id="clock"></div></section>
<button type="button" class="quiet" id="reset" title="Deletes logins, tokens, faults and records, and resets the clock. Clients and added clinicians remain.">Reset</button>
</header>
<p id="alert" role="alert" class="alert" hidden></p>
<p id="announcement" class="hidden" aria-live="polite"></p>
<div class="columns">
<main id="logins" tabindex="-1">
<section class="card" aria-labelledby="logins-title" id="list-card" hidden>
<h2 id="logins-title">Logins</h2>
<div class="filters" role="group" aria-label="Filter the logins">
<select id="filter-client" aria-label="Client"></select>
<select id="filter-user" aria-label="User"></select>
<select id="filter-result" aria-label="Result"><option value="">All results</option>${RESULTS.map((title) => html`<option>${title}</option>`)}</select>
</div>
<div id="login-list"></div>
</section>
<div id="empty"></div>
<div id="detail"></div>
</main>
<aside aria-label="State and controls">
<section class="card" aria-labelledby="faults-title"><h2 id="faults-title">Faults</h2><div id="faults"></div></section>
<section class="card" aria-labelledby="findings-title" id="findings-card" hidden><h2 id="findings-title">Findings</h2><div id="findings"></div></section>
<section class="card" aria-labelledby="grants-title"><h2 id="grants-title">Codes and tokens</h2><div id="grants"></div></section>
<section class="card" aria-labelledby="rates-title" id="rates-card" hidden><h2 id="rates-title">Rate limits</h2><div id="rates"></div></section>
<section class="card" aria-labelledby="clinicians-title"><h2 id="clinicians-title">Clinicians</h2><div id="clinicians"></div></section>
<section class="card" aria-labelledby="clients-title"><h2 id="clients-title">Clients</h2><div id="clients"></div></section>
</aside>
</div>
<noscript><p class="alert">The inspector needs JavaScript. Alternatively use the control API: start the provider with control: true.</p></noscript>
</body>
</html>
`;
  return { status: 200, headers: { ...HEADERS }, body: document.text };
}
