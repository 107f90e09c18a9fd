import { hash } from 'node:crypto';
import { ConfigurationError } from '../errors/errors.js';
import { defined } from '../http/json.js';
import { Secret } from '../sealing/sealer.js';
import type { ClientConfig } from './client-config.js';
import { type Flow, parseScope, type Scope, scopeProblem, type TransactionSecrets } from './flows.js';
import type { ServerMetadata } from './metadata.js';

/** One login attempt, from the authorization request to its response. */
export interface Transaction extends TransactionSecrets {
  /** The requested scope. */
  scope: string[];
  /** Seconds. */
  maxAge?: number;
  prompt?: string;
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
}

/** The parameters of one login (service spec, GET /oauth/authorize; OIDC Core section 3.1.2.1). */
export interface AuthorizationParameters {
  /** @default the flow's: `openid`, or `basic` */
  scope?: Scope;
  /** `none`, `login`, `consent`, `create`, or several separated by spaces. */
  prompt?: string;
  display?: string;
  /** `verify` or `login`: the landing page for users without a session at the service. Only in the `profile` flow. */
  type?: string;
  /** An earlier ID Token: prefills the sign-in identifier. */
  idTokenHint?: Secret | string;
  /** The greatest accepted time since the user signed in at the service, in seconds: `auth_time` is then required. Not in the `profile` flow. */
  maxAge?: number;
  /** Additional parameters. They cannot replace a parameter that this package sets. */
  extra?: Record<string, string>;
}

/** A started login attempt. */
export interface AuthorizationRequest {
  /** The URL to redirect the browser to. */
  url: string;
  /** The state to store until the response arrives. */
  transaction: Transaction;
}

const RESERVED: ReadonlySet<string> = new Set([
  ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'nonce', 'max_age'],
  ...['code_challenge', 'code_challenge_method', 'request', 'request_uri', 'registration', 'claims'],
]);

/**
 * @returns the parameters of the authorization request (RFC 6749 section 4.1.1) that openid-client does not add, and the transaction
 * to store. Throws a ConfigurationError for parameters that cannot be sent.
 */
export function startTransaction(
  { redirectURI, flow, clock }: ClientConfig,
  parameters: AuthorizationParameters,
  secrets: TransactionSecrets,
): { query: URLSearchParams; transaction: Transaction } {
  const scope = requestedScope(flow, parameters.scope);
  const query = new URLSearchParams({ redirect_uri: redirectURI, scope: scope.join(' ') });
  addOptionalParameters(query, parameters, flow);
  const { maxAge } = parameters;
  const { state, nonce, codeVerifier } = secrets;
  query.set('state', state);
  if (nonce !== undefined) query.set('nonce', nonce);
  if (codeVerifier !== undefined) {
    // By method S256 (RFC 7636 section 4.2). openid-client uses WebCrypto: see docs/project/decisions.md.
    query.set('code_challenge', hash('sha256', codeVerifier, 'base64url'));
    query.set('code_challenge_method', 'S256');
  }

  const prompt = query.get('prompt') ?? undefined;
  return { query, transaction: { ...secrets, scope, createdAt: clock.now(), ...defined({ maxAge, prompt }) } };
}

function requestedScope(flow: Flow, requested: Scope | undefined): string[] {
  const scope = parseScope(requested ?? flow.defaultScope);
  failIfScope(scopeProblem(flow, scope));
  return scope;
}

/** Throws for a scope that the metadata must list, and does not. */
export function checkListedScope(flow: Flow, { scope }: Transaction, { scopes_supported = [] }: ServerMetadata): void {
  const unlisted = scope.find((token) => flow.listedScopes.includes(token) && !scopes_supported.includes(token));
  if (unlisted === undefined) return;
  failIfScope({
    phrase: `has '${unlisted}', which the metadata of the service does not list (scopes_supported). Remove it.`,
  });
}

function failIfScope(problem: ReturnType<typeof scopeProblem>): void {
  if (problem === undefined) return;
  const { phrase, detail = '' } = problem;
  const message = `passport-clinician: option 'scope' ${phrase} ${detail}`.trim();
  throw new ConfigurationError('option_invalid', message, { option: 'scope' });
}

export function checkFlowSupports(
  flow: Flow,
  { maxAge, type }: { maxAge?: number | undefined; type?: string | undefined },
): void {
  // Without the ID Token's auth_time, an older sign-in at the service would be accepted (OIDC Core section 3.1.2.1).
  if (maxAge !== undefined && !flow.expectsIDToken) {
    throw new ConfigurationError(
      'option_invalid',
      `The ${flow.name} flow has no ID Token to check 'maxAge' with. Remove the option, or use the openid flow.`,
      { option: 'maxAge' },
    );
  }
  if (type !== undefined && !flow.landingPages) {
    throw new ConfigurationError(
      'option_invalid',
      `The ${flow.name} flow has no parameter 'type'. Remove the option; prompt: 'create' shows the registration.`,
      { option: 'type' },
    );
  }
}

function addOptionalParameters(query: URLSearchParams, parameters: AuthorizationParameters, flow: Flow): void {
  const { prompt, display, type, idTokenHint, maxAge, extra = {} } = parameters;
  checkFlowSupports(flow, { maxAge, type: type ?? extra.type });
  const named = {
    prompt,
    display,
    type,
    id_token_hint: idTokenHint instanceof Secret ? idTokenHint.reveal() : idTokenHint,
    max_age: maxAge === undefined ? undefined : String(maxAge),
  };
  for (const [name, value] of Object.entries(named)) {
    if (value !== undefined && value !== '') query.set(name, value);
  }
  for (const [name, value] of Object.entries(extra)) {
    if (RESERVED.has(name) || query.has(name) || typeof value !== 'string') {
      throw new ConfigurationError(
        'option_invalid',
        `Remove the authorization parameter "${name}": this package sets it, it is set already, or its value is not a string.`,
      );
    }
    query.set(name, value);
  }
}
