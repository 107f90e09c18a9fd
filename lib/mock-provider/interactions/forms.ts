import type { Answer } from '../answer.js';
import type { Refused } from '../endpoints/authorize.js';
import { COOKIES, cookie } from '../endpoints/cookies.js';
import type { House } from '../house.js';
import { errorAnswer } from '../pages/error-page.js';
import { respondError } from '../protocol/authorization/authorization-response.js';
import { Refusal } from '../refusal.js';
import type { MockRequest } from '../request.js';
import type { Interaction } from '../stores/interactions.js';
import { dispatch, type Standing } from './dispatcher.js';

/** Decision 39: a form counts only from the browser that it was shown in, and once. */
function takeForm(house: House, http: MockRequest): Interaction | Refused {
  const interaction = http.isForm
    ? house.interactions.get(http.form.get('interaction'), http.cookie(COOKIES.interaction))
    : undefined;
  if (interaction && house.interactions.takeForm(interaction, http.form.get('form_token'))) return interaction;
  const refusal = new Refusal('invalid_request', 'This form was not shown in this browser, or was sent before', {
    decision: 39,
    source: 'RFC 6749 section 10.12',
    status: 403,
  });
  return { refusal, answer: errorAnswer(http, refusal) };
}

function standingOf(house: House, http: MockRequest, interaction: Interaction): Standing {
  return {
    request: interaction.request,
    session: house.sessions.get(http.cookie(COOKIES.session)),
    interaction,
    cookies: [],
  };
}

/** POST /oauth/login */
export async function submitLogin(house: House, http: MockRequest): Promise<Answer | Refused> {
  const interaction = takeForm(house, http);
  if ('refusal' in interaction) return interaction;
  const standing = standingOf(house, http, interaction);
  const username = http.form.get('username') ?? '';
  const account = house.accounts.byUsername(username);
  if (!account?.hasPassword(http.form.get('password') ?? '')) {
    return dispatch(house, http, {
      ...standing,
      session: undefined,
      username,
      message: 'The user name or the password is not right.',
    });
  }
  house.sessions.end(http.cookie(COOKIES.session));
  const { id, session } = house.sessions.start(account);
  interaction.hasSignedIn = true;
  standing.cookies.push(cookie(house, 'session', id), cookie(house, 'browserState', session.browserState));
  return dispatch(house, http, { ...standing, session });
}

/** POST /oauth/consent */
export async function submitConsent(house: House, http: MockRequest): Promise<Answer | Refused> {
  const interaction = takeForm(house, http);
  if ('refusal' in interaction) return interaction;
  const standing = standingOf(house, http, interaction);
  const { request, session } = standing;
  if (session === undefined) return dispatch(house, http, standing);
  if (http.form.get('decision') !== 'approve') {
    house.interactions.end(interaction);
    const refusal = new Refusal('access_denied', 'The user denied the request', {
      decision: 35,
      source: 'spec, Errors',
    });
    return { refusal, answer: respondError(http.method, request, refusal) };
  }
  const scope = request.scope.filter((word) => word !== 'email' || http.form.get('approve_email') === 'yes');
  interaction.consent = { sub: session.account.sub, scope };
  house.consents.remember(session.account.sub, request.client.id, request.scope, scope);
  return dispatch(house, http, standing);
}
