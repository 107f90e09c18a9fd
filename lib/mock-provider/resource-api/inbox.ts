import type { MockRequest } from '../http/request.js';
import { type ProviderResponse, redirectResponse } from '../http/response.js';
import { cookieOf } from '../http/session-cookies.js';
import { refuseForm } from '../interactions/consume-form.js';
import { currentSession } from '../interactions/current-session.js';
import { signInAddress } from '../interactions/direct-sign-in.js';
import { cleanDraft, type Draft, draftProblems } from '../pages/draft.js';
import { inboxPage } from '../pages/inbox-page.js';
import { newMessagePage } from '../pages/new-message-page.js';
import { pageResponse } from '../pages/page.js';
import { PAGE_PATHS } from '../pages/paths.js';
import type { Refused } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';
import { randomToken } from '../state/random.js';
import type { Session } from '../state/sessions.js';

const PURPOSE = 'message';
const MOST_PROPOSED = 50;

/** GET /inbox/conversations/new_message (decision 100): a form, filled in with what was shared. Nothing is sent by it. */
export function newMessage(instance: ProviderInstance, http: MockRequest): ProviderResponse {
  const session = currentSession(instance, http, 'inbox');
  if (session === undefined) return signInFirst(http);
  return showDraft(instance, http, session, cleanDraft(http.query));
}

/** GET /inbox/conversations */
export function inbox(instance: ProviderInstance, http: MockRequest): ProviderResponse {
  const session = currentSession(instance, http, 'inbox');
  if (session === undefined) return signInFirst(http);
  const { username } = session.account;
  const messages = instance.inbox.messages(username).reverse();
  const body = inboxPage({ username, messages, isSent: http.query.get('sent') === 'yes' });
  return pageResponse({ title: 'Your inbox', body, width: 'wide' });
}

/** POST /inbox/conversations: sends a message, once for each form. */
export function sendMessage(instance: ProviderInstance, http: MockRequest): ProviderResponse | Refused {
  const session = currentSession(instance, http, 'inbox');
  const browserID = session && cookieOf(instance, http, 'inbox');
  const taken = http.isForm ? instance.forms.take(PURPOSE, browserID, http.form.get('form_token')) : undefined;
  if (session === undefined || taken === undefined) return refuseForm(http, PAGE_PATHS.inbox);
  const draft = cleanDraft(http.form);
  const problems = draftProblems(draft);
  if (Object.keys(problems).length > 0) return showDraft(instance, http, session, draft, problems);
  const { to, subject, message, url } = draft;
  const from = session.account.username;
  const sent = { id: randomToken(), at: instance.clock.now(), from, to, subject, message };
  instance.inbox.add(url === '' ? sent : { ...sent, url });
  return redirectResponse('POST', `${PAGE_PATHS.inbox}?sent=yes`);
}

function signInFirst(http: MockRequest): ProviderResponse {
  return redirectResponse(http.method, signInAddress(http.search === '' ? http.path : `${http.path}?${http.search}`));
}

function showDraft(
  instance: ProviderInstance,
  http: MockRequest,
  { account }: Session,
  draft: Draft,
  problems: Partial<Record<keyof Draft, string>> = {},
): ProviderResponse {
  const body = newMessagePage({
    action: PAGE_PATHS.inbox,
    hidden: { form_token: instance.forms.issue(PURPOSE, cookieOf(instance, http, 'inbox') ?? '') },
    username: account.username,
    draft,
    problems,
    colleagues: instance.accounts.firstNames(MOST_PROPOSED).filter((name) => name !== account.username),
  });
  const status = Object.keys(problems).length > 0 ? 400 : 200;
  return pageResponse({ title: 'New message', body, width: 'wide', status });
}
