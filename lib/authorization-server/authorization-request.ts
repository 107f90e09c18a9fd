import {
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { ConfigurationError } from '../errors.js';
import { formatScope, isScopeToken, parseScope, type Scope } from '../scope.js';
import { Secret } from '../secret.js';
import type { ClientConfig } from './client-config.js';
import { type Transaction, transactionID } from './transaction.js';

/** What one login may ask for beside the flow's own (spec, GET /oauth/authorize; OIDC Core section 3.1.2.1). */
export interface AuthorizationParameters {
  /** @default the flow's: `openid`, or `basic` */
  scope?: Scope;
  /** `none`, `login`, `consent`, `create`, or several by spaces. */
  prompt?: string;
  /** `page` or `popup`. */
  display?: string;
  /** `verify` or `login`: the landing page of a person without a session. */
  type?: string;
  /** An earlier ID Token: prefills the sign-in identifier. */
  idTokenHint?: Secret | string;
  /** How long ago the person may have signed in at the service, in seconds. Then the ID Token must say when. */
  maxAge?: number;
  /** Where the site goes on after the login. Kept in the transaction, never sent. */
  returnTo?: string;
  /** The site's own data. Kept in the transaction, never sent. */
  appState?: unknown;
  /** Further parameters. They add to the request and never replace what it stands on. */
  extra?: Record<string, string>;
}

export interface AuthorizationRequest {
  /** Where to send the person's browser. */
  url: string;
  /** What to remember until the answer comes. */
  transaction: Transaction;
}

const OURS: ReadonlySet<string> = new Set([
  ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'nonce', 'max_age'],
  ...['code_challenge', 'code_challenge_method', 'request', 'request_uri', 'registration', 'claims'],
]);

/** Starts a login attempt: a fresh state, nonce and code verifier (RFC 9700 section 2.1), and the address that carries them. */
export async function authorizationRequest(
  party: ClientConfig,
  configuration: Configuration,
  parameters: AuthorizationParameters,
): Promise<AuthorizationRequest> {
  const { issuer, clientID, redirectURI, flow, clock } = party;
  const state = randomState();
  const scope = checkedScope(party, parameters.scope);
  const nonce = flow.nonce ? randomNonce() : undefined;
  const codeVerifier = flow.pkce ? randomPKCECodeVerifier() : undefined;
  const { returnTo, appState, maxAge } = parameters;

  const query = new URLSearchParams({ response_type: 'code', client_id: clientID, redirect_uri: redirectURI });
  query.set('scope', formatScope(scope));
  query.set('state', state);
  if (nonce !== undefined) query.set('nonce', nonce);
  if (codeVerifier !== undefined) {
    query.set('code_challenge', await calculatePKCECodeChallenge(codeVerifier));
    query.set('code_challenge_method', 'S256');
  }
  addOptional(query, parameters);
  const prompt = query.get('prompt');

  const transaction: Transaction = {
    id: transactionID(state),
    ...{ issuer, clientID, flow: flow.name, redirectURI, state, scope, bornAt: clock.now() },
    ...(nonce !== undefined && { nonce }),
    ...(codeVerifier !== undefined && { codeVerifier }),
    ...(maxAge !== undefined && { maxAge }),
    ...(prompt !== null && { prompt }),
    ...(returnTo !== undefined && { returnTo }),
    ...(appState !== undefined && { appState }),
  };
  return { url: buildAuthorizationUrl(configuration, query).href, transaction };
}

function checkedScope({ flow }: ClientConfig, asked: Scope | undefined): string[] {
  const scope = parseScope(asked ?? flow.defaultScope);
  const illegal = scope.find((word) => !isScopeToken(word));
  if (illegal !== undefined) throw new ConfigurationError('scope_malformed', `${JSON.stringify(illegal)} is no scope.`);
  const missing = flow.requiredScope.find((word) => !scope.includes(word));
  if (missing !== undefined) {
    throw new ConfigurationError(
      'scope_not_requested',
      `The ${flow.name} flow asks for the scope "${missing}": add it.`,
    );
  }
  const foreign = scope.find((word) => !flow.knownScopes.includes(word));
  if (foreign !== undefined) {
    throw new ConfigurationError(
      'scope_foreign',
      `The scope "${foreign}" is not one of the ${flow.name} flow, which are: ${flow.knownScopes.join(', ')}. Set "flow", or leave it out.`,
    );
  }
  return scope;
}

function addOptional(query: URLSearchParams, parameters: AuthorizationParameters): void {
  const { prompt, display, type, idTokenHint, maxAge, extra = {} } = parameters;
  const named = {
    prompt,
    display,
    type,
    id_token_hint: idTokenHint instanceof Secret ? idTokenHint.reveal() : idTokenHint,
  };
  for (const [name, value] of Object.entries(named)) {
    if (value !== undefined && value !== '') query.set(name, value);
  }
  if (maxAge !== undefined) {
    if (!Number.isSafeInteger(maxAge) || maxAge < 0) {
      throw new ConfigurationError('max_age_malformed', 'maxAge is a number of whole seconds, not below 0.');
    }
    query.set('max_age', String(maxAge));
  }
  for (const [name, value] of Object.entries(extra)) {
    if (OURS.has(name) || query.has(name) || typeof value !== 'string') {
      throw new ConfigurationError(
        'authorization_parameter_refused',
        `The authorization parameter "${name}" cannot be added: it is the package's own, given already, or no string.`,
      );
    }
    query.set(name, value);
  }
}
