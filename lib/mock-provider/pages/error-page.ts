import { hasNoCookie } from '../http/cookies.js';
import type { MockRequest } from '../http/request.js';
import { Refusal, type Refused, refusedAsJSON } from '../protocol/refusal.js';
import { html, type Markup, truncate } from './html.js';
import { pageResponse } from './page.js';

const TITLE = 'Invalid request';

/** @returns what the application's developer needs: the fix, and folded the value sent, the registered ones and the rule. */
export function refusalDetails({ error, rule, source, fix, mismatch }: Refusal): Markup {
  const code = (text: string) => html`<code><bdi>${truncate(text, 400)}</bdi></code>`;
  const row = (name: string, value: Markup | string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`${fix !== undefined && html`<p><strong>Fix:</strong> ${fix}</p>`}
<details class="mock"><summary>For developers</summary>
<dl>${mismatch && [row('Sent', code(mismatch.sent)), row('Registered', registeredValues(mismatch.registered.map(code)))]}${row('Error', code(error))}${row('Rule', code(rule))}${row('Source', source)}</dl></details>`;
}

function registeredValues(values: readonly Markup[]): Markup {
  return values.length === 0
    ? html`none`
    : html`${values.map((value, index) => html`${index > 0 && html`<br>`}${value}`)}`;
}

/** @returns a refusal that is shown and never redirected, as a page or as JSON. */
export function errorPage(http: MockRequest, refusal: Refusal): Refused {
  if (http.prefersJSON) return refusedAsJSON(refusal);
  const { reason, status } = refusal;
  const body = html`<h1>${TITLE}</h1>
<p>${reason}.</p>
<p class="soft">The application's developers must fix this. None of your data was shared. Close this page or go back.</p>
${refusalDetails(refusal)}`;
  return { refusal, response: pageResponse({ title: TITLE, body, status }) };
}

/** The refusals of a page that cannot continue. */
const STALE = {
  'interaction-in-one-browser': {
    status: 400,
    description: 'This sign-in was finished, took too long, is older than 20 others, or started in another browser',
  },
  'form-token-single-use': {
    status: 403,
    description: 'This form was not shown in this browser, or was already submitted',
  },
} as const;

const NO_COOKIE = 'The browser sent no cookie: it blocks cookies, or the sign-in started in another browser';

/**
 * @returns the page for a form that was already submitted, is too old, or is from another browser or one that blocks cookies.
 * @param continueAt the address where the sign-in continues in this browser, when it can
 */
export function stalePage(http: MockRequest, rule: keyof typeof STALE, continueAt?: string): Refused {
  const isBlocked = hasNoCookie(http);
  const { status, description } = STALE[rule];
  const refusal = new Refusal(rule, 'invalid_request', isBlocked ? NO_COOKIE : description, { status });
  if (http.prefersJSON) return refusedAsJSON(refusal);
  const isSubmitted = continueAt !== undefined && !isBlocked;
  const title = isSubmitted ? 'This form was already submitted' : 'This page is no longer in use';
  const body = html`<h1>${title}</h1>${isSubmitted ? submitted(continueAt) : finished(isBlocked)}`;
  return { refusal, response: pageResponse({ title, body, status }) };
}

function finished(isBlocked: boolean): Markup {
  const why = isBlocked ? NO_COOKIE : STALE['interaction-in-one-browser'].description;
  return html`<p>${why}.</p>
<p>Nothing was sent. ${isBlocked && 'Allow cookies for this address. '}Go back to the application and start again.</p>`;
}

function submitted(continueAt: string): Markup {
  return html`<p>The form was already submitted or was open for too long. Nothing was sent again, and nothing is lost.</p>
<p><a class="button" href="${continueAt}" autofocus>Continue</a></p>`;
}
