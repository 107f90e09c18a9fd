import { CLAIM_FAULTS } from '../faults/claim-faults.js';
import { DOCUMENT_FAULTS } from '../faults/document-faults.js';
import { FAILURE_FAULTS } from '../faults/failure-faults.js';
import type { FaultDefinition, FaultKind } from '../faults/fault.js';
import type { FaultName } from '../faults/fault-names.js';
import type { FaultContext, MatchedFault } from '../faults/fault-queue.js';
import { applyIDTokenFault, draftOf, type IDTokenFault } from '../faults/id-token-fault.js';
import { LOGOUT_FAULTS, type LogoutFault } from '../faults/logout-faults.js';
import { PROFILE_FAULTS, USERINFO_FAULTS } from '../faults/profile-faults.js';
import { REDIRECT_FAULTS, type RedirectFault } from '../faults/redirect-faults.js';
import { RESPONSE_FAULTS, type ResponseFault } from '../faults/response-faults.js';
import { SIGNATURE_FAULTS } from '../faults/signature-faults.js';
import { TOKEN_RESPONSE_FAULTS, type TokenResponseFault } from '../faults/token-response-faults.js';
import { digest } from '../http/digest.js';
import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import { type ClientRedirect, clientRedirectURL, type ProviderResponse } from '../http/response.js';
import { decodeUnverifiedClaims, signIDToken } from '../protocol/id-token.js';
import type { ProviderInstance } from '../provider-instance.js';

type Members = Record<string, unknown>;
type MembersFault = FaultDefinition<(members: Members) => Members>;
/** The definitions of one kind, by name. */
type Of<Fault> = Readonly<Partial<Record<FaultName, Fault>>>;

const ID_TOKEN_FAULTS: Of<IDTokenFault> = { ...SIGNATURE_FAULTS, ...CLAIM_FAULTS };
const DOCUMENTS: readonly string[] = [PATHS.openidConfiguration, PATHS.authorizationServer, PATHS.jwks];

/** Applies the queued faults to one exchange, where its response leaves the provider. */
export class ExchangeFaults {
  readonly #instance: Pick<ProviderInstance, 'faults' | 'keys' | 'clock'>;
  readonly #http: MockRequest;
  readonly #context: FaultContext;
  readonly #applied: FaultName[] = [];
  #finish: RedirectFault['finish'];

  constructor(instance: ProviderInstance, http: MockRequest, client: string | undefined) {
    this.#instance = instance;
    this.#http = http;
    const grantType = http.isForm ? http.form.get('grant_type') : undefined;
    this.#context = { endpoint: http.path, client, grantType };
  }

  /** The names of the applied faults, for the record. */
  get applied(): string | undefined {
    return this.#applied.join(', ') || undefined;
  }

  /** The request as the endpoint gets it: without If-None-Match where a queued fault needs a response with a body. */
  get request(): MockRequest {
    if (this.#http.ifNoneMatch === undefined || this.#isPreflight) return this.#http;
    const { faults } = this.#instance;
    const needsBody =
      faults.has('document', this.#context) ||
      faults.has('profile', this.#context) ||
      faults.has('response', this.#context, (name) => (RESPONSE_FAULTS as Of<ResponseFault>)[name]?.fits !== undefined);
    return needsBody ? this.#http.withoutIfNoneMatch() : this.#http;
  }

  /** @returns the response in place of the endpoint's. */
  failure(): ProviderResponse | undefined {
    const matched = this.#take('failure');
    const fault = matched && FAILURE_FAULTS[matched.name as keyof typeof FAILURE_FAULTS];
    return fault?.apply(matched?.options ?? {}, this.#instance.clock.now(), this.#http);
  }

  /** @returns the endpoint's response, with the faults of its content: a redirect, a token, a document or a profile. */
  async applyToContent(response: ProviderResponse): Promise<ProviderResponse> {
    if (this.#instance.faults.isEmpty) return response;
    if (response.clientRedirect !== undefined) return this.#redirect(response, response.clientRedirect);
    if (response.status !== 200) return response;
    const { path } = this.#http;
    if (path === PATHS.token) return this.#tokenResponse(response);
    if (path === PATHS.userinfo) return this.#userinfo(response);
    if (path === PATHS.currentUser) return this.#profile(response);
    return DOCUMENTS.includes(path) ? this.#document(response) : response;
  }

  /** @returns the response as it is sent. */
  applyToResponse(intended: ProviderResponse): ProviderResponse {
    const response = this.#finish?.(intended) ?? intended;
    // A response that is not sent cannot be altered: the fault applies to the next one.
    if (response.connectionFault !== undefined) return response;
    const faults: Of<ResponseFault> = RESPONSE_FAULTS;
    const matched = this.#take('response', this.#context, (name) => faults[name]?.fits?.(response) ?? true);
    return matched ? (faults[matched.name]?.apply(response, matched.options) ?? response) : response;
  }

  async #redirect(response: ProviderResponse, redirect: ClientRedirect): Promise<ProviderResponse> {
    const isLogout = this.#http.path === PATHS.logout;
    const parameters = isLogout ? this.#logoutParameters(redirect) : await this.#authorizationParameters(redirect);
    if (parameters === redirect.parameters) return response;
    const altered = { ...redirect, parameters };
    const headers = { ...response.headers, Location: clientRedirectURL(altered) };
    return { ...response, headers, clientRedirect: altered };
  }

  async #authorizationParameters(redirect: ClientRedirect): Promise<ClientRedirect['parameters']> {
    const context = { endpoint: PATHS.authorize, client: redirect.clientID };
    let { parameters } = redirect;
    if (typeof parameters.id_token === 'string') {
      const { token } = await this.#idToken(parameters.id_token, { ...context, grantType: 'authorization_code' });
      if (token !== parameters.id_token) parameters = { ...parameters, id_token: token };
    }
    const faults: Of<RedirectFault> = REDIRECT_FAULTS;
    const matched = this.#take('redirect', context, (name) => {
      const needs = faults[name]?.needs;
      return needs === undefined || parameters[needs] !== undefined;
    });
    const fault = matched && faults[matched.name];
    this.#finish = fault?.finish;
    return fault?.apply(parameters, redirect, matched?.options ?? {}) ?? parameters;
  }

  #logoutParameters({ clientID, parameters }: ClientRedirect): ClientRedirect['parameters'] {
    const faults: Of<LogoutFault> = LOGOUT_FAULTS;
    const matched = this.#take('logout', { endpoint: PATHS.logout, client: clientID }, (name) => {
      return !faults[name]?.needsState || parameters.state !== undefined;
    });
    return matched ? { ...parameters, state: faults[matched.name]?.apply } : parameters;
  }

  async #tokenResponse(response: ProviderResponse): Promise<ProviderResponse> {
    let members = JSON.parse(response.body) as Members;
    let { headers } = response;
    if (typeof members.id_token === 'string') {
      const altered = await this.#idToken(members.id_token, this.#context);
      members = { ...members, id_token: altered.token };
      headers = { ...headers, ...altered.headers };
    }
    const faults: Of<TokenResponseFault> = TOKEN_RESPONSE_FAULTS;
    const matched = this.#take('tokenResponse', this.#context, (name) => (faults[name]?.needs ?? '') in members);
    if (matched) members = faults[matched.name]?.apply(members) ?? members;
    return { ...response, headers, body: JSON.stringify(members) };
  }

  async #idToken(token: string, context: FaultContext): Promise<{ token: string; headers: Record<string, string> }> {
    const { keys } = this.#instance;
    const draft = draftOf(token, keys);
    const matched = this.#take('idToken', context, (name) => {
      const needs = ID_TOKEN_FAULTS[name]?.needs;
      return needs === undefined || needs in draft.claims;
    });
    const fault = matched && ID_TOKEN_FAULTS[matched.name];
    return fault ? applyIDTokenFault(fault, draft, { keys, options: matched.options }) : { token, headers: {} };
  }

  /** A signed response is signed again. */
  async #userinfo(response: ProviderResponse): Promise<ProviderResponse> {
    const matched = this.#take('userinfo');
    const fault = matched && (USERINFO_FAULTS as Of<MembersFault>)[matched.name];
    if (fault === undefined) return response;
    if (response.headers['Content-Type'] !== 'application/jwt') return this.#members(response, fault);
    const key = this.#instance.keys.signing;
    const claims = fault.apply(decodeUnverifiedClaims(response.body));
    return { ...response, body: await signIDToken({ key, header: { alg: 'RS256', kid: key.kid }, claims }) };
  }

  #profile(response: ProviderResponse): ProviderResponse {
    const matched = this.#take('profile');
    const fault = matched && (PROFILE_FAULTS as Of<MembersFault>)[matched.name];
    if (fault === undefined) return response;
    const altered = this.#members(response, fault);
    return { ...altered, headers: { ...altered.headers, ETag: `"${digest(altered.body)}"` } };
  }

  #document(response: ProviderResponse): ProviderResponse {
    const matched = this.#take('document');
    const fault = matched && (DOCUMENT_FAULTS as Of<MembersFault>)[matched.name];
    if (fault === undefined) return response;
    const { ETag: _, ...headers } = response.headers;
    return this.#members({ ...response, headers: { ...headers, 'Cache-Control': 'no-store' } }, fault);
  }

  #members(response: ProviderResponse, fault: MembersFault): ProviderResponse {
    return { ...response, body: JSON.stringify(fault.apply(JSON.parse(response.body) as Members)) };
  }

  /** A CORS preflight request is not the exchange that a fault applies to. */
  get #isPreflight(): boolean {
    return this.#http.method === 'OPTIONS';
  }

  #take(
    kind: FaultKind,
    context: FaultContext = this.#context,
    applies?: (name: FaultName) => boolean,
  ): MatchedFault | undefined {
    const matched = this.#isPreflight ? undefined : this.#instance.faults.take(kind, context, applies);
    if (matched) this.#applied.push(matched.name);
    return matched;
  }
}
