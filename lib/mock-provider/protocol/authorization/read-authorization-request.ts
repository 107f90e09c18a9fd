import type { Parameters } from '../../http/parameters.js';
import type { AccountStore } from '../../state/accounts.js';
import type { AuthorizationRequest, ResponseTarget } from '../../state/authorization-request.js';
import type { ClientStore } from '../../state/clients.js';
import type { IDTokens } from '../id-token.js';
import { Refusal } from '../refusal.js';
import { checkClient, checkRedirectURI } from './check-client.js';
import { type CheckContext, REQUEST_CHECKS, responseMode } from './request-checks.js';

/** A valid request, or a refusal; a refusal without a target is shown on a page. */
type ReadRequest =
  | { readonly request: AuthorizationRequest }
  | { readonly refusal: Refusal; readonly target?: ResponseTarget };

/** Reads authorization requests and checks each rule in order. */
export class AuthorizationRequests {
  readonly #clients: ClientStore;
  readonly #accounts: AccountStore;
  readonly #idTokens: IDTokens;

  constructor(clients: ClientStore, accounts: AccountStore, idTokens: IDTokens) {
    this.#clients = clients;
    this.#accounts = accounts;
    this.#idTokens = idTokens;
  }

  read(parameters: Parameters): ReadRequest {
    const client = checkClient(parameters, this.#clients);
    if (client instanceof Refusal) return { refusal: client };
    const redirectURI = checkRedirectURI(parameters, client);
    if (redirectURI instanceof Refusal) return { refusal: redirectURI };

    const target: ResponseTarget = {
      client,
      redirectURI,
      responseMode: responseMode(parameters),
      state: parameters.repeated.has('state') ? undefined : parameters.get('state'),
    };
    const context: CheckContext = { parameters, client, accounts: this.#accounts, idTokens: this.#idTokens };
    const request: Partial<AuthorizationRequest> = {};
    for (const check of REQUEST_CHECKS) {
      const result = check(context);
      if (result instanceof Refusal) return { refusal: result, target };
      Object.assign(request, result);
    }
    return { request: Object.assign(request, target) as AuthorizationRequest };
  }
}
