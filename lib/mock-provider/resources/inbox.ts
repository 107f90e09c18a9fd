import type { Cookies } from '../http/cookies.js';
import { PAGE_PATHS } from '../http/paths.js';
import { randomToken } from '../http/random.js';
import type { MockRequest } from '../http/request.js';
import { type ProviderResponse, redirectResponse } from '../http/response.js';
import type { BrowserSessions } from '../interactions/browser-sessions.js';
import { type PageEndpoints, signInAddress } from '../interactions/sign-in.js';
import { stalePage } from '../pages/error-page.js';
import { cleanDraft, type Draft, draftProblems, inboxPage, newMessagePage } from '../pages/inbox-pages.js';
import { pageResponse } from '../pages/page.js';
import type { Endpoint } from '../protocol/endpoint.js';
import type { MockClock } from '../state/clock.js';
import type { FormTokenStore } from '../state/form-tokens.js';
import type { InboxStore } from '../state/inbox.js';
import type { Session } from '../state/sessions.js';

/** Serves the pages that the share button opens. */
interface InboxPages {
  /** GET /inbox/conversations/new_message: a form with the shared values; it sends no message. */
  readonly newMessage: Endpoint;
  /** GET /inbox/conversations; POST sends a message, once for each form. */
  readonly inbox: PageEndpoints;
}

const PURPOSE = 'message';

export function createInboxPages(
  inbox: InboxStore,
  forms: FormTokenStore,
  browserSessions: BrowserSessions,
  cookies: Cookies,
  clock: MockClock,
): InboxPages {
  function showDraft(
    http: MockRequest,
    { account }: Session,
    draft: Draft,
    problems: Partial<Record<keyof Draft, string>> = {},
  ): ProviderResponse {
    const form_token = randomToken();
    forms.add(form_token, PURPOSE, cookies.read(http, 'inbox') ?? '');
    const body = newMessagePage({
      action: PAGE_PATHS.inbox,
      hidden: { form_token },
      from: account.displayName,
      draft,
      problems,
    });
    const status = Object.keys(problems).length > 0 ? 400 : 200;
    return pageResponse({ title: 'New message', body, status });
  }

  return {
    newMessage(http) {
      const session = browserSessions.current(http, 'inbox');
      return session === undefined ? signInFirst(http) : showDraft(http, session, cleanDraft(http.query));
    },
    inbox: {
      GET(http) {
        const session = browserSessions.current(http, 'inbox');
        if (session === undefined) return signInFirst(http);
        const { username, displayName } = session.account;
        const messages = inbox.messages(username).reverse();
        const body = inboxPage({ username, displayName, messages, isSent: http.query.get('sent') === 'yes' });
        return pageResponse({ title: 'Your inbox', body });
      },
      POST(http) {
        const session = browserSessions.current(http, 'inbox');
        const token = http.isForm ? http.form.get('form_token') : undefined;
        const isOfSession = token !== undefined && forms.consume(token, PURPOSE) === cookies.read(http, 'inbox');
        if (session === undefined || !isOfSession) return stalePage(http, 'form-token-single-use', PAGE_PATHS.inbox);
        const draft = cleanDraft(http.form);
        const problems = draftProblems(draft);
        if (Object.keys(problems).length > 0) return showDraft(http, session, draft, problems);
        const { url, ...text } = draft;
        const sent = { id: randomToken(), at: clock.now(), from: session.account.username, ...text };
        inbox.add(url === '' ? sent : { ...sent, url });
        return redirectResponse('POST', `${PAGE_PATHS.inbox}?sent=yes`);
      },
    },
  };
}

function signInFirst(http: MockRequest): ProviderResponse {
  return redirectResponse(http.method, signInAddress(http.search === '' ? http.path : `${http.path}?${http.search}`));
}
