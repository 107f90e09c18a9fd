import type { Answer } from '../answer.js';
import { COOKIES, cookie } from '../endpoints/cookies.js';
import type { House } from '../house.js';
import { consentPage } from '../pages/consent-page.js';
import { loginPage } from '../pages/login-page.js';
import { pageAnswer } from '../pages/page.js';
import type { AuthorizationRequest } from '../protocol/authorization/authorization-request.js';
import { respond, respondError } from '../protocol/authorization/authorization-response.js';
import { draftIDToken, signIDToken } from '../protocol/id-token.js';
import { SCOPES } from '../protocol/scopes.js';
import { sessionState } from '../protocol/session-state.js';
import { randomToken } from '../random.js';
import { Refusal } from '../refusal.js';
import type { MockRequest } from '../request.js';
import type { Interaction } from '../stores/interactions.js';
import type { Session } from '../stores/sessions.js';

/** Where one authorization request stands in one browser. */
export interface Standing {
  request: AuthorizationRequest;
  session: Session | undefined;
  interaction: Interaction | undefined;
  /** To be set with the answer. */
  cookies: string[];
  message?: string;
  username?: string;
}

const CORE = 'OpenID Connect Core section 3.1.2.6';

function needsLogin(house: House, { request, session, interaction }: Standing): boolean {
  if (session === undefined) return true;
  if (interaction?.hasSignedIn) return false;
  const tooOld = request.maxAge !== undefined && house.clock.now() - session.authTime > request.maxAge * 1000;
  const another = request.hinted !== undefined && request.hinted !== session.account;
  return request.prompt.has('login') || request.prompt.has('create') || tooOld || request.maxAge === 0 || another;
}

function needsConsent(house: House, { request, session, interaction }: Standing): boolean {
  if (session === undefined) return true;
  if (interaction?.consent?.sub === session.account.sub) return false;
  return request.prompt.has('consent') || !house.consents.covers(session.account.sub, request.client.id, request.scope);
}

/** Decision 29: nothing is shown, nothing changes. */
function silentRefusal(house: House, standing: Standing): Refusal | undefined {
  if (!standing.request.prompt.has('none')) return undefined;
  if (needsLogin(house, standing))
    return new Refusal('login_required', 'Nobody is signed in', { decision: 29, source: CORE });
  if (needsConsent(house, standing))
    return new Refusal('consent_required', 'The scope has not been approved', { decision: 29, source: CORE });
  return undefined;
}

function begin(house: House, request: MockRequest, standing: Standing): Interaction {
  if (standing.interaction) return standing.interaction;
  const browserID = request.cookie(COOKIES.interaction) ?? randomToken();
  const interaction = house.interactions.start(standing.request, browserID);
  standing.interaction = interaction;
  standing.cookies.push(cookie(house, 'interaction', browserID));
  return interaction;
}

function showLogin(house: House, http: MockRequest, standing: Standing): Answer {
  const { request, message, cookies } = standing;
  const interaction = begin(house, http, standing);
  const username = standing.username ?? request.hinted?.username ?? request.loginHint;
  const body = loginPage({
    action: '/oauth/login',
    hidden: { interaction: interaction.id, form_token: interaction.formToken },
    clientName: request.client.name,
    username,
    message,
    landing: request.landing,
    personas: house.accounts.names(),
  });
  return pageAnswer({
    title: 'Sign in',
    body,
    display: request.display,
    cookies,
    status: message === undefined ? 200 : 400,
  });
}

function showConsent(house: House, http: MockRequest, standing: Standing): Answer {
  const { request, session, cookies } = standing;
  const interaction = begin(house, http, standing);
  const body = consentPage({
    action: '/oauth/consent',
    hidden: { interaction: interaction.id, form_token: interaction.formToken },
    clientName: request.client.name,
    personName: session?.account.fields.fullName ?? session?.account.username ?? '',
    scope: request.scope.map((word) => ({ word, meaning: SCOPES.get(word) ?? word, canBeRefused: word === 'email' })),
  });
  return pageAnswer({ title: 'Approve access', body, display: request.display, cookies });
}

async function succeed(house: House, http: MockRequest, standing: Standing): Promise<Answer> {
  const { request, interaction, cookies } = standing;
  const session = standing.session as Session;
  const scope = interaction?.consent?.scope ?? request.scope;
  if (interaction) house.interactions.end(interaction);
  const { client, redirectURI, codeChallenge, nonce } = request;
  const grant = {
    client,
    account: session.account,
    scope,
    askedScope: request.scope,
    authTime: session.authTime,
    nonce,
    isRevoked: false,
  };
  const code = house.grants.issueCode({ grant, redirectURI, codeChallenge });
  const parameters: Record<string, string> = { code };
  if (scope.includes('openid')) parameters.session_state = sessionState(client.id, redirectURI, session.browserState);
  if (request.responseType === 'code id_token') {
    const lifetime = house.grants.accessTokenLifetime(client);
    const draft = draftIDToken(house.keys.signing, {
      issuer: house.issuer,
      grant,
      now: house.clock.now(),
      lifetime,
      nonce,
      code,
    });
    parameters.id_token = await signIDToken(draft);
  }
  return respond(http.method, request, parameters, cookies);
}

/** The only one who decides what comes next; every page returns here (decisions 28 to 36). */
export async function dispatch(
  house: House,
  http: MockRequest,
  standing: Standing,
): Promise<Answer | { refusal: Refusal; answer: Answer }> {
  const { request, session, interaction } = standing;
  const refused = (refusal: Refusal) => ({
    refusal,
    answer: respondError(http.method, request, refusal, standing.cookies),
  });
  const silent = silentRefusal(house, standing);
  if (silent) return refused(silent);
  if (needsLogin(house, standing)) return showLogin(house, http, standing);
  if (interaction?.hasSignedIn && request.hinted !== undefined && request.hinted !== session?.account) {
    return refused(
      new Refusal('login_required', 'Somebody else signed in than id_token_hint names', {
        decision: 33,
        source: 'OpenID Connect Core section 3.1.2.1',
      }),
    );
  }
  if (needsConsent(house, standing)) return showConsent(house, http, standing);
  return succeed(house, http, standing);
}
