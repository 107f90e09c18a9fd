import type { MockRequest } from '../../http/request.js';
import { clientRedirectResponse, type ProviderResponse, type RedirectParameters } from '../../http/response.js';
import type { AuthorizationRequest, ResponseTarget } from '../../state/authorization-request.js';
import type { MockClock } from '../../state/clock.js';
import type { Authorization, GrantStore } from '../../state/grants.js';
import type { Session } from '../../state/sessions.js';
import type { IDTokens } from '../id-token.js';
import type { Refusal, Refused } from '../refusal.js';
import { sessionState } from '../session-state.js';

/** Creates the redirects back to the client. */
export class AuthorizationResponses {
  readonly #grants: GrantStore;
  readonly #idTokens: IDTokens;
  readonly #clock: MockClock;
  readonly #iss: string | undefined;

  /** @param iss the issuer, if responses contain it (RFC 9207) */
  constructor(grants: GrantStore, idTokens: IDTokens, clock: MockClock, iss: string | undefined) {
    this.#grants = grants;
    this.#idTokens = idTokens;
    this.#clock = clock;
    this.#iss = iss;
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
    const parameters = { ...own, state, iss: this.#iss };
    return clientRedirectResponse(http.method, { clientID: client.id, uri, mode, parameters }, cookies);
  }

  async #issue(request: AuthorizationRequest, session: Session, scope: readonly string[]): Promise<RedirectParameters> {
    const { client, redirectURI, codeChallenge, nonce } = request;
    const authorization = authorizationOf(session, request, scope);
    const code = this.#grants.issueCode(authorization, { redirectURI, codeChallenge, nonce });
    if (!scope.includes('openid')) return { code };
    const parameters = { code, session_state: sessionState(client.id, redirectURI, session.browserState) };
    if (request.responseType === 'code') return parameters;
    const contents = { now: this.#clock.now(), code, nonce };
    return { ...parameters, id_token: await this.#idTokens.issue(authorization, contents) };
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
