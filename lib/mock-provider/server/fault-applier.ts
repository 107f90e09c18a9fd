import {
  appliesToMembers,
  appliesToResponse,
  changeIDToken,
  changeMembers,
  changeResponse,
  failureResponse,
  sendTwice,
  withoutCaching,
} from '../faults/apply-fault.js';
import { ENDPOINTS_OF_KIND, type FaultName } from '../faults/catalogue.js';
import type { FaultDefinition, FaultKind, Members } from '../faults/fault.js';
import type { FaultContext, FaultQueue, MatchedFault } from '../faults/fault-queue.js';
import { isAPIPath, PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import {
  type ClientRedirect,
  clientRedirectURL,
  conditionalResponse,
  type ProviderResponse,
  representation,
  tokenEndpointResponse,
} from '../http/response.js';
import { decodeUnverifiedClaims } from '../protocol/id-token.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { MockClock } from '../state/clock.js';
import type { KeyRing } from '../state/keys.js';

/** The kinds of faults that change a JSON document. */
const DOCUMENT_KINDS = ['document', 'userinfo', 'profile'] as const;

/** Applies the queued faults to one exchange, when its response leaves the provider. */
export class FaultApplier {
  readonly #faults: FaultQueue;
  readonly #keys: KeyRing;
  readonly #clock: MockClock;
  readonly #http: MockRequest;
  readonly #context: FaultContext;
  readonly #applied: FaultName[] = [];
  #isSentTwice = false;

  /** @param client the client_id that the request names, authenticated or not */
  constructor({ faults, keys, clock }: ProviderInstance, http: MockRequest, client: string | undefined) {
    this.#faults = faults;
    this.#keys = keys;
    this.#clock = clock;
    this.#http = http;
    const grantType = http.isForm ? http.form.get('grant_type') : undefined;
    this.#context = { endpoint: http.path, client, grantType };
  }

  /** The names of the applied faults, for the record. */
  get applied(): string | undefined {
    return this.#applied.join(', ') || undefined;
  }

  /** True if a queued fault needs a response with a body. */
  get needsBody(): boolean {
    if (this.#http.ifNoneMatch === undefined || this.#isPreflight) return false;
    const fault =
      this.#faults.find('document', this.#context) ??
      this.#faults.find('profile', this.#context) ??
      this.#faults.find('response', this.#context, ({ requires }) => requires !== undefined);
    return fault !== undefined;
  }

  /** @returns the response in place of the endpoint's. */
  failure(rateHeadersOfAPI: () => Record<string, string>): ProviderResponse | undefined {
    const matched = this.#take('failure');
    if (matched === undefined) return undefined;
    const http = this.#http;
    const rateHeaders = isAPIPath(http.path) ? rateHeadersOfAPI() : {};
    return failureResponse(matched.definition, { http, rateHeaders, now: this.#clock.now() });
  }

  /** @returns the endpoint's response with the faults of its content: a redirect, a token response, a document or a profile. */
  async changeContent(response: ProviderResponse): Promise<ProviderResponse> {
    const { path } = this.#http;
    if (response.clientRedirect !== undefined) {
      const changed = this.#changeRedirect(response.clientRedirect);
      const headers = { ...response.headers, Location: clientRedirectURL(changed) };
      return { ...response, headers, clientRedirect: changed };
    }
    if (response.status !== 200) return response;
    if (path === PATHS.token) return this.#changeTokenResponse(response);
    const kind = DOCUMENT_KINDS.find((one) => ENDPOINTS_OF_KIND[one].includes(path));
    const matched = kind && this.#take(kind);
    return matched ? this.#changeJSON(response, matched.definition) : response;
  }

  /** @returns the response as it is sent. */
  changeResponse(original: ProviderResponse): ProviderResponse {
    const response = this.#isSentTwice ? sendTwice(original) : original;
    // A response that is not sent cannot be changed: the fault applies to the next one.
    if (response.connectionFault !== undefined) return response;
    const matched = this.#take('response', this.#context, (change) => appliesToResponse(change, response));
    return matched ? changeResponse(matched.definition, response, matched.options) : response;
  }

  /** Changes a redirect to the site: the response of the authorization endpoint, from whichever page it leaves, or of a logout. */
  #changeRedirect(redirect: ClientRedirect): ClientRedirect {
    const isLogout = this.#http.path === PATHS.logout;
    const context = { endpoint: isLogout ? PATHS.logout : PATHS.authorize, client: redirect.clientID };
    let parameters: Members = redirect.parameters;
    const kind = isLogout ? 'logout' : 'redirect';
    const matched = this.#take(kind, context, (change) => appliesToMembers(change, parameters));
    if (matched) parameters = changeMembers(matched.definition, parameters);
    this.#isSentTwice = matched?.definition.kind === 'redirect' && matched.definition.isSentTwice === true;
    return { ...redirect, parameters: parameters as ClientRedirect['parameters'] };
  }

  async #changeTokenResponse(response: ProviderResponse): Promise<ProviderResponse> {
    let members: Members = response.members ?? {};
    if (typeof members.id_token === 'string') {
      members = { ...members, id_token: await this.#changeIDToken(members.id_token) };
    }
    const matched = this.#take('tokenResponse', this.#context, (change) => appliesToMembers(change, members));
    if (matched) members = changeMembers(matched.definition, members);
    return { ...tokenEndpointResponse(response.status, members), headers: response.headers };
  }

  async #changeIDToken(token: string): Promise<string> {
    const claims = decodeUnverifiedClaims(token);
    const matched = this.#take('idToken', this.#context, (change) => appliesToMembers(change, claims));
    return matched ? changeIDToken(matched.definition, claims, this.#keys) : token;
  }

  #changeJSON(
    response: ProviderResponse,
    definition: FaultDefinition<'document' | 'userinfo' | 'profile'>,
  ): ProviderResponse {
    const body = JSON.stringify(changeMembers(definition, JSON.parse(response.body) as Members));
    if (definition.kind === 'document') return { ...withoutCaching(response), body };
    if (response.headers.ETag === undefined) return { ...response, body };
    const ifNoneMatch = this.#http.headers['if-none-match'];
    return { ...response, ...conditionalResponse(representation(body), response.headers, ifNoneMatch) };
  }

  /** A CORS preflight request is not the exchange that a fault applies to. */
  get #isPreflight(): boolean {
    return this.#http.method === 'OPTIONS';
  }

  #take<Kind extends FaultKind>(
    kind: Kind,
    context: FaultContext = this.#context,
    applies?: (definition: FaultDefinition<Kind>) => boolean,
  ): MatchedFault<Kind> | undefined {
    if (this.#faults.isEmpty || this.#isPreflight) return undefined;
    const matched = this.#faults.take(kind, context, applies);
    if (matched) this.#applied.push(matched.name);
    return matched;
  }
}
