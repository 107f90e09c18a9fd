import type { MockRequest } from '../http/request.js';
import { type Answer, redirectAnswer } from '../http/response.js';
import { cookieOf } from '../http/session-cookies.js';
import { refuseForm } from '../interactions/consume-form.js';
import { sessionOf } from '../interactions/current-session.js';
import { signInAddress } from '../interactions/direct-sign-in.js';
import { cleanDraft, type Draft, draftProblems } from '../pages/draft.js';
import { inboxPage } from '../pages/inbox-page.js';
import { newMessagePage } from '../pages/new-message-page.js';
import { pageAnswer } from '../pages/page.js';
import { PAGE_PATHS } from '../pages/paths.js';
import type { Refused } from '../protocol/refusal.js';
import type { House } from '../provider-instance.js';
import { randomToken } from '../state/random.js';
import type { Session } from '../state/sessions.js';

const PURPOSE = 'message';
const MOST_PROPOSED = 50;

/** GET /inbox/conversations/new_message (decision 100): a form, filled in with what was shared. Nothing is sent by it. */
export function newMessage(house: House, http: MockRequest): Answer {
  const session = sessionOf(house, http, 'inbox');
  if (session === undefined) return signInFirst(http);
  return showDraft(house, http, session, cleanDraft(http.query));
}

/** GET /inbox/conversations */
export function inbox(house: House, http: MockRequest): Answer {
  const session = sessionOf(house, http, 'inbox');
  if (session === undefined) return signInFirst(http);
  const { username } = session.account;
  const messages = house.inbox.messages(username).reverse();
  const body = inboxPage({ username, messages, isSent: http.query.get('sent') === 'yes' });
  return pageAnswer({ title: 'Your inbox', body, width: 'wide' });
}

/** POST /inbox/conversations: sends a message, once for each form. */
export function sendMessage(house: House, http: MockRequest): Answer | Refused {
  const session = sessionOf(house, http, 'inbox');
  const browserID = session && cookieOf(house, http, 'inbox');
  const taken = http.isForm ? house.forms.take(PURPOSE, browserID, http.form.get('form_token')) : undefined;
  if (session === undefined || taken === undefined) return refuseForm(http, PAGE_PATHS.inbox);
  const draft = cleanDraft(http.form);
  const problems = draftProblems(draft);
  if (Object.keys(problems).length > 0) return showDraft(house, http, session, draft, problems);
  const { to, subject, message, url } = draft;
  const from = session.account.username;
  const sent = { id: randomToken(), at: house.clock.now(), from, to, subject, message };
  house.inbox.add(url === '' ? sent : { ...sent, url });
  return redirectAnswer('POST', `${PAGE_PATHS.inbox}?sent=yes`);
}

function signInFirst(http: MockRequest): Answer {
  return redirectAnswer(http.method, signInAddress(http.search === '' ? http.path : `${http.path}?${http.search}`));
}

function showDraft(
  house: House,
  http: MockRequest,
  { account }: Session,
  draft: Draft,
  problems: Partial<Record<keyof Draft, string>> = {},
): Answer {
  const body = newMessagePage({
    action: PAGE_PATHS.inbox,
    hidden: { form_token: house.forms.issue(PURPOSE, cookieOf(house, http, 'inbox') ?? '') },
    username: account.username,
    draft,
    problems,
    colleagues: house.accounts.firstNames(MOST_PROPOSED).filter((name) => name !== account.username),
  });
  const status = Object.keys(problems).length > 0 ? 400 : 200;
  return pageAnswer({ title: 'New message', body, width: 'wide', status });
}
