import { hasNoCookie } from '../http/cookies.js';
import type { MockRequest } from '../http/request.js';
import { jsonResponse, type ProviderResponse } from '../http/response.js';
import type { Refusal, Refused } from '../protocol/refusal.js';
import { html, type Markup, truncate } from './html.js';
import { pageResponse } from './page.js';

const TITLE = 'Invalid request';

/** @returns a refusal as JSON, for a client that prefers it to a page. */
export function refusalJSON({ error, description, status }: Refusal): ProviderResponse {
  return jsonResponse(status, { error, error_description: description }, { 'Cache-Control': 'no-store' });
}

/** @returns what the application's developer needs: the value sent, the registered ones, the fix and the rule. */
export function refusalDetails({ error, rule, source, fix, mismatch }: Refusal): Markup {
  const code = (text: string) => html`<code><bdi>${truncate(text, 400)}</bdi></code>`;
  const row = (name: string, value: Markup | string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<dl>${mismatch && [row('Sent', code(mismatch.sent)), row('Registered', registeredValues(mismatch.registered.map(code)))]}${fix !== undefined && row('Fix', fix)}${row('Error', code(error))}${row('Rule', code(rule))}${row('Source', source)}</dl>`;
}

function registeredValues(values: readonly Markup[]): Markup {
  return values.length === 0
    ? html`none`
    : html`${values.map((value, index) => html`${index > 0 && html`<br>`}${value}`)}`;
}

/** @returns a refusal that is shown and never redirected, as a page or as JSON. */
export function errorPage(http: MockRequest, refusal: Refusal): Refused {
  if (http.prefersJSON) return { refusal, response: refusalJSON(refusal) };
  const { reason, status } = refusal;
  const body = html`<h1>${TITLE}</h1>
<p>${reason}.</p>
<p class="soft">The application's developers must fix this. None of your data was shared. Close this page or go back.</p>
${refusalDetails(refusal)}`;
  return { refusal, response: pageResponse({ title: TITLE, body, status }) };
}

interface Stale {
  title: string;
  text: Markup;
}

const FINISHED: Stale = {
  title: 'This page is no longer in use',
  text: html`<p>The sign-in of this page is finished, took too long, or started in another browser.</p>
<p>Nothing was sent. Go back to the application and start again.</p>`,
};
const NO_COOKIE: Stale = {
  title: FINISHED.title,
  text: html`<p>Your browser sent no cookie: it blocks cookies, or the sign-in started in another browser.</p>
<p>Nothing was sent. Allow cookies for this address, go back to the application and start again.</p>`,
};

/** @returns the page for a form that can be continued. */
function submitted(continueAt: string): Stale {
  return {
    title: 'This form was already submitted',
    text: html`<p>The form was already submitted or was open for too long. Nothing was sent again, and nothing is lost.</p>
<p><a class="button" href="${continueAt}" autofocus>Continue</a></p>`,
  };
}

/**
 * @returns the page for a form that was already submitted, is too old, or is from another browser or one that blocks cookies.
 * @param continueAt the address where the sign-in continues in this browser, when it can
 */
export function stalePage(http: MockRequest, refusal: Refusal, continueAt?: string): Refused {
  if (http.prefersJSON) return { refusal, response: refusalJSON(refusal) };
  const finished = continueAt === undefined ? FINISHED : submitted(continueAt);
  const { title, text } = hasNoCookie(http) ? NO_COOKIE : finished;
  const body = html`<h1>${title}</h1>${text}`;
  return { refusal, response: pageResponse({ title, body, status: refusal.status }) };
}
