import type { House } from '../../house.js';
import type { Parameters } from '../../parameters.js';
import { Refusal } from '../../refusal.js';
import { readOwnIDToken } from '../id-token.js';
import { scopeWords } from '../scopes.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { CHECKS, responseModeOf, responseTypeOf, scopeOf } from './checks.js';
import { checkClientAndRedirect, type Trusted } from './client-and-redirect.js';

/** Where a refused request's answer goes, once client and redirect URI are trusted. */
export interface ErrorReturn extends Trusted {
  state: string | undefined;
  responseMode: 'query' | 'fragment';
}

export type ReadRequest = { request: AuthorizationRequest } | { refusal: Refusal; returnTo?: ErrorReturn };

/** Reads an authorization request through the table of checks (decisions 11 to 33). */
export function readAuthorizationRequest(house: House, parameters: Parameters): ReadRequest {
  const trusted = checkClientAndRedirect(parameters, house.clients);
  if (trusted instanceof Refusal) return { refusal: trusted };
  const { client, redirectURI } = trusted;
  const state = parameters.repeated.has('state') ? undefined : parameters.get('state');
  const responseMode = responseModeOf(parameters);
  const readHint = (hint: string) => {
    const sub = readOwnIDToken(hint, house.keys, house.issuer)?.sub;
    return typeof sub === 'string' ? house.accounts.bySub(sub) : undefined;
  };
  for (const check of CHECKS) {
    const refusal = check({ parameters, client, readHint });
    if (refusal) return { refusal, returnTo: { client, redirectURI, state, responseMode } };
  }
  const maxAge = parameters.get('max_age');
  const hint = parameters.get('id_token_hint');
  return {
    request: {
      client,
      redirectURI,
      responseType: responseTypeOf(parameters) as 'code' | 'code id_token',
      responseMode,
      scope: scopeOf(parameters, client),
      state,
      nonce: parameters.get('nonce'),
      codeChallenge: parameters.get('code_challenge'),
      prompt: new Set(scopeWords(parameters.get('prompt') ?? '')),
      display: parameters.get('display') === 'popup' ? 'popup' : 'page',
      landing: parameters.get('type') === 'verify' ? 'verify' : 'login',
      maxAge: maxAge === undefined ? undefined : Number(maxAge),
      hinted: hint === undefined ? undefined : readHint(hint),
      loginHint: parameters.get('login_hint'),
    },
  };
}
