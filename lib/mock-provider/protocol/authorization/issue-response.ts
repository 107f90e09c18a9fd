import type { ProviderInstance } from '../../provider-instance.js';
import { epochSeconds } from '../../state/clock.js';
import type { Authorization } from '../../state/grants.js';
import type { Session } from '../../state/sessions.js';
import { draftIDToken, signIDToken } from '../id-token.js';
import { sessionState } from '../session-state.js';
import type { AuthorizationRequest } from './authorization-request.js';

/** @returns what a client gets when a clinician approved: a code, and with openid session_state and perhaps an ID Token (decisions 18, 36). */
export async function issueResponse(
  instance: ProviderInstance,
  request: AuthorizationRequest,
  session: Session,
  scope: readonly string[],
): Promise<Record<string, string>> {
  const { client, redirectURI, codeChallenge, nonce } = request;
  const { account, authTime, browserState } = session;
  const authorization = { client, account, scope, requestedScope: request.scope, authTime, nonce };
  const code = instance.grants.issueCode(authorization, { redirectURI, codeChallenge });
  if (instance.rules.logoutRevokesTokens) session.codes.push(code);
  if (!scope.includes('openid')) return { code };
  const response = { code, session_state: sessionState(client.id, redirectURI, browserState) };
  if (request.responseType === 'code') return response;
  return { ...response, id_token: await idTokenFor(instance, authorization, code) };
}

/** Decision 18: bound to the code by c_hash. */
function idTokenFor(instance: ProviderInstance, authorization: Authorization, code: string): Promise<string> {
  const lifetime = epochSeconds(instance.grants.accessTokenLifetime(authorization.client));
  const now = epochSeconds(instance.clock.now());
  const draft = draftIDToken(instance.keys.signing, instance.issuer, authorization, { now, lifetime, code });
  return signIDToken(draft);
}
