import type { Answer } from '../answer.js';
import type { House } from '../house.js';
import { respond } from '../protocol/authorization/authorization-response.js';
import { draftIDToken, signIDToken } from '../protocol/id-token.js';
import { sessionState } from '../protocol/session-state.js';
import type { MockRequest } from '../request.js';
import type { Session } from '../stores/sessions.js';
import type { Standing } from './standing.js';

/** The successful authorization response (decision 36). */
export async function succeed(house: House, http: MockRequest, standing: Standing): Promise<Answer> {
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
    const now = house.clock.now();
    const draft = draftIDToken(house.keys.signing, { issuer: house.issuer, grant, now, lifetime, nonce, code });
    parameters.id_token = await signIDToken(draft);
  }
  return respond(http.method, request, parameters, cookies);
}
