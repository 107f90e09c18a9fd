import { maskName, maskWord } from '../../http/masking.js';
import type { Parameters } from '../../http/parameters.js';
import { DEFAULT_SCOPE, isScopeText, SCOPES, scopeTokens } from '../../options/scopes.js';
import type { AccountStore } from '../../state/accounts.js';
import type { AuthorizationRequest, Prompt, ResponseMode } from '../../state/authorization-request.js';
import type { Client } from '../../state/clients.js';
import type { IDTokens } from '../id-token.js';
import { Refusal } from '../refusal.js';

/** The input of a check: a request whose client and redirect URI are valid, and what an id_token_hint is compared with. */
export interface CheckContext {
  readonly parameters: Parameters;
  readonly client: Client;
  readonly accounts: AccountStore;
  readonly idTokens: IDTokens;
}

/** @returns why the request is refused, or the members of the request that it read. */
export type Check = (context: CheckContext) => Refusal | Partial<AuthorizationRequest>;

export const checkRepetition: Check = ({ parameters }) => {
  const [name] = parameters.repeated;
  if (name === undefined) return {};
  return new Refusal('parameter-sent-once', 'invalid_request', `${maskName(name)} was sent more than once`);
};

/** Runs before the other parameters are checked: they may be in the request object (OIDC Core section 6.1). */
export const checkRequestObjects: Check = ({ parameters }) => refuseRequestObjects(parameters) ?? {};

export function refuseRequestObjects(parameters: Parameters): Refusal | undefined {
  const name = ['request', 'request_uri', 'registration'].find((each) => parameters.get(each) !== undefined);
  if (name === undefined) return undefined;
  return new Refusal('no-request-objects', `${name}_not_supported`, `The parameter ${name} is not supported`);
}

/** @returns the values of response_type in alphabetical order, as their order does not matter (RFC 6749 section 3.1.1). */
function responseTypeValues(parameters: Parameters): string[] {
  return (parameters.get('response_type') ?? '').split(' ').sort();
}

/** @returns the response mode, also of an error: as requested if possible, otherwise by response type. */
export function responseMode(parameters: Parameters): ResponseMode {
  const hasToken = responseTypeValues(parameters).some((value) => value === 'id_token' || value === 'token');
  return hasToken || parameters.get('response_mode') === 'fragment' ? 'fragment' : 'query';
}

export const checkResponseType: Check = ({ parameters, client }) => {
  if (parameters.get('response_type') === undefined) {
    return new Refusal('response-type-required', 'invalid_request', 'response_type is missing');
  }
  const type = responseTypeValues(parameters).join(' ');
  if (type !== 'code' && type !== 'code id_token') {
    return new Refusal('response-type-supported', 'unsupported_response_type', 'response_type must be code');
  }
  if (!client.registration.responseTypes.includes(type)) {
    const description = `This client is not registered for response_type ${type}`;
    return new Refusal('response-type-registered', 'unsupported_response_type', description);
  }
  return { responseType: type };
};

export const checkResponseMode: Check = ({ parameters }) => {
  const mode = parameters.get('response_mode');
  if (mode !== undefined && mode !== 'query' && mode !== 'fragment') {
    return new Refusal('response-mode-supported', 'invalid_request', 'response_mode must be query or fragment');
  }
  if (mode === 'query' && responseMode(parameters) === 'fragment') {
    return new Refusal('id-token-not-in-query', 'invalid_request', 'An ID Token cannot be returned in the query');
  }
  return {};
};

export const checkNonce: Check = ({ parameters }) => {
  const nonce = parameters.get('nonce');
  if (nonce !== undefined || !responseTypeValues(parameters).includes('id_token')) return { nonce };
  const description = 'nonce is required for response_type code id_token';
  return new Refusal('id-token-response-needs-nonce', 'invalid_request', description);
};

/** An empty scope is the default of the flow. */
export const checkScope: Check = ({ parameters, client }) => {
  const text = parameters.get('scope');
  if (text !== undefined && !isScopeText(text)) {
    return new Refusal('scope-characters', 'invalid_scope', 'scope has characters that no scope can have');
  }
  const tokens = scopeTokens(text ?? '');
  const requested = tokens.length === 0 ? DEFAULT_SCOPE[client.flow] : tokens;
  const isOpenID = requested.includes('openid');
  const known = requested.filter((token) => SCOPES.has(token));
  if (known.length < requested.length && !isOpenID) {
    return new Refusal('scope-known', 'invalid_scope', 'scope contains an unknown scope');
  }
  const forbidden = known.find((token) => !client.registration.scope.includes(token));
  if (forbidden !== undefined) {
    return new Refusal('scope-allowed', 'invalid_scope', `This client may not request the scope ${forbidden}`);
  }
  if (!isOpenID && responseTypeValues(parameters).includes('id_token')) {
    const description = 'response_type code id_token needs the scope openid';
    return new Refusal('id-token-response-needs-openid', 'invalid_scope', description);
  }
  return { scope: known.length < requested.length ? known : requested };
};

/** A SHA-256 in base64url. */
const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

export const checkPKCE: Check = ({ parameters, client }) => {
  const challenge = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  if (challenge === undefined) {
    if (!client.registration.requirePKCE && method === undefined) return {};
    return new Refusal('pkce-required', 'invalid_request', 'code challenge required');
  }
  if (method !== 'S256') {
    const received = method === undefined ? 'left out (which means plain)' : maskWord(method);
    return new Refusal('pkce-s256-only', 'invalid_request', 'transform algorithm not supported', {
      reason: `code_challenge_method must be S256, not ${received}`,
    });
  }
  if (!CODE_CHALLENGE.test(challenge)) {
    const description = 'code_challenge must be 43 characters of base64url';
    return new Refusal('code-challenge-format', 'invalid_request', description);
  }
  return { codeChallenge: challenge };
};

const PROMPTS: readonly string[] = ['none', 'login', 'consent', 'create'] satisfies Prompt[];

/** Reads the parameters that choose what the user sees, and never fails. */
export const readPresentation: Check = ({ parameters, client }) => {
  const loginHint = parameters.get('login_hint');
  const type = client.flow === 'profile' ? parameters.get('type') : undefined;
  return {
    display: parameters.get('display') === 'popup' ? 'popup' : 'page',
    landing: type === 'verify' ? 'verify' : 'login',
    ...(loginHint !== undefined && { loginHint }),
  };
};

export const checkPrompt: Check = ({ parameters }) => {
  const words = (parameters.get('prompt') ?? '').split(' ').filter((word) => word !== '');
  const unknown = words.find((word) => !PROMPTS.includes(word));
  if (unknown !== undefined) {
    return new Refusal('prompt-known', 'invalid_request', `prompt ${maskWord(unknown)} is not supported`);
  }
  if (words.includes('none') && words.length > 1) {
    return new Refusal('prompt-combination', 'invalid_request', 'prompt=none must be the only value');
  }
  return { prompt: new Set(words as Prompt[]) };
};

export const checkMaxAge: Check = ({ parameters }) => {
  const maxAge = parameters.get('max_age');
  if (maxAge === undefined) return {};
  if (/^\d{1,12}$/.test(maxAge)) return { maxAge: Number(maxAge) };
  return new Refusal('max-age-integer', 'invalid_request', 'max_age must be a whole number of seconds');
};

export const checkIDTokenHint: Check = ({ parameters, client, accounts, idTokens }) => {
  const hint = parameters.get('id_token_hint');
  if (hint === undefined) return {};
  const claims = idTokens.readOwn(hint);
  const hinted = claims?.azp === client.id ? accounts.bySub(String(claims.sub)) : undefined;
  if (hinted !== undefined) return { loginHint: hinted.username };
  const description = 'id_token_hint is not an ID Token that this service issued to this client';
  return new Refusal('id-token-hint-valid', 'invalid_request', description);
};
