import type { MockRequest } from '../../http/request.js';
import { clientRedirectResponse, type ProviderResponse, type RedirectParameters } from '../../http/response.js';
import type { AuthorizationRequest, ResponseTarget } from '../../state/authorization-request.js';
import type { MockClock } from '../../state/clock.js';
import type { Authorization, GrantStore } from '../../state/grants.js';
import type { Session } from '../../state/sessions.js';
import type { IssueIDToken } from '../id-token.js';
import type { Refusal, Refused } from '../refusal.js';
import { sessionState } from '../session-state.js';

/** Creates the redirects back to the client. */
export interface AuthorizationResponses {
  /** Issues a code for the approved scope: the successful response (RFC 6749 section 4.1.2). */
  succeed(
    http: MockRequest,
    approval: { request: AuthorizationRequest; session: Session; scope: readonly string[] },
    cookies: string[],
  ): Promise<ProviderResponse>;
  /** Creates the error response (RFC 6749 section 4.1.2.1). */
  refuse(http: MockRequest, target: ResponseTarget, refusal: Refusal, cookies?: string[]): Refused;
}

interface Dependencies {
  readonly issuer: string;
  readonly options: { issParameter: boolean };
  readonly clock: MockClock;
  readonly grants: Pick<GrantStore, 'issueCode'>;
  readonly issueIDToken: IssueIDToken;
}

export function createAuthorizationResponses(dependencies: Dependencies): AuthorizationResponses {
  const { issuer, options, clock, grants, issueIDToken } = dependencies;
  const iss = options.issParameter ? issuer : undefined;

  function redirect(http: MockRequest, target: ResponseTarget, parameters: RedirectParameters, setCookies: string[]) {
    const { client, redirectURI, responseMode, state } = target;
    const all = { ...parameters, state, iss };
    return clientRedirectResponse(
      http.method,
      { clientID: client.id, uri: redirectURI, mode: responseMode, parameters: all },
      setCookies,
    );
  }

  async function issue(
    request: AuthorizationRequest,
    session: Session,
    scope: readonly string[],
  ): Promise<RedirectParameters> {
    const { client, redirectURI, codeChallenge, nonce } = request;
    const authorization = authorizationOf(session, request, scope);
    const code = grants.issueCode(authorization, { redirectURI, codeChallenge, nonce });
    if (!scope.includes('openid')) return { code };
    const parameters = { code, session_state: sessionState(client.id, redirectURI, session.browserState) };
    if (request.responseType === 'code') return parameters;
    return { ...parameters, id_token: await issueIDToken(authorization, { now: clock.now(), code, nonce }) };
  }

  return {
    async succeed(http, { request, session, scope }, setCookies) {
      return redirect(http, request, await issue(request, session, scope), setCookies);
    },
    refuse(http, target, refusal, setCookies = []) {
      const { error, description } = refusal;
      const parameters = { error, error_description: description };
      return { refusal, response: redirect(http, target, parameters, setCookies) };
    },
  };
}

/** @returns the last authorization of the session, or a new one for another client or scope. */
function authorizationOf(session: Session, { client }: AuthorizationRequest, scope: readonly string[]): Authorization {
  const { account, authTime, authorization: last } = session;
  if (last?.client === client && isSame(last.scope, scope)) return last;
  session.authorization = { client, account, scope, authTime };
  return session.authorization;
}

function isSame(scope: readonly string[], other: readonly string[]): boolean {
  return scope.length === other.length && scope.every((token, index) => token === other[index]);
}
