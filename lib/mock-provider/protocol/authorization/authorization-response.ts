import type { MockRequest } from '../../http/request.js';
import { clientRedirectResponse, type ProviderResponse, type RedirectParameters } from '../../http/response.js';
import type { AuthorizationRequest, ResponseTarget } from '../../state/authorization-request.js';
import type { MockClock } from '../../state/clock.js';
import type { Authorization, GrantStore } from '../../state/grants.js';
import type { Session } from '../../state/sessions.js';
import type { IssueIDToken } from '../id-token.js';
import type { Refusal, Refused } from '../refusal.js';
import { sessionState } from '../session-state.js';

interface Dependencies {
  readonly issuer: string;
  readonly options: { issParameter: boolean };
  readonly clock: MockClock;
  readonly grants: Pick<GrantStore, 'issueCode'>;
  readonly issueIDToken: IssueIDToken;
}

/** Creates the redirects back to the client. */
export class AuthorizationResponses {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Issues a code for the approved scope: the successful response (RFC 6749 section 4.1.2). */
  async succeed(
    http: MockRequest,
    { request, session, scope }: { request: AuthorizationRequest; session: Session; scope: readonly string[] },
    cookies: string[],
  ): Promise<ProviderResponse> {
    return this.#redirect(http, request, await this.#issue(request, session, scope), cookies);
  }

  /** Creates the error response (RFC 6749 section 4.1.2.1). */
  refuse(http: MockRequest, target: ResponseTarget, refusal: Refusal, cookies: string[] = []): Refused {
    const parameters = { error: refusal.error, error_description: refusal.description };
    return { refusal, response: this.#redirect(http, target, parameters, cookies) };
  }

  #redirect(http: MockRequest, target: ResponseTarget, own: RedirectParameters, cookies: string[]): ProviderResponse {
    const { client, redirectURI: uri, responseMode: mode, state } = target;
    const { issuer, options } = this.#dependencies;
    const parameters = { ...own, state, iss: options.issParameter ? issuer : undefined };
    return clientRedirectResponse(http.method, { clientID: client.id, uri, mode, parameters }, cookies);
  }

  async #issue(request: AuthorizationRequest, session: Session, scope: readonly string[]): Promise<RedirectParameters> {
    const { grants, clock, issueIDToken } = this.#dependencies;
    const { client, redirectURI, codeChallenge, nonce } = request;
    const authorization = authorizationOf(session, request, scope);
    const code = grants.issueCode(authorization, { redirectURI, codeChallenge, nonce });
    if (!scope.includes('openid')) return { code };
    const parameters = { code, session_state: sessionState(client.id, redirectURI, session.browserState) };
    if (request.responseType === 'code') return parameters;
    return { ...parameters, id_token: await issueIDToken(authorization, { now: clock.now(), code, nonce }) };
  }
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
