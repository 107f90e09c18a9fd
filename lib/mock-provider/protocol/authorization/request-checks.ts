import { maskWord } from '../../http/masking.js';
import type { Parameters } from '../../http/parameters.js';
import { DEFAULT_SCOPE, isScopeText, SCOPES, scopeTokens } from '../../options/scopes.js';
import type { AccountStore } from '../../state/accounts.js';
import type { AuthorizationRequest, Prompt, ResponseMode } from '../../state/authorization-request.js';
import type { Client } from '../../state/clients.js';
import type { IDTokens } from '../id-token.js';
import { invalidRequest, Refusal, refuseRepeated } from '../refusal.js';

/** The input of a check: a request whose client and redirect URI are valid, and what an id_token_hint is compared with. */
export interface CheckContext {
  readonly parameters: Parameters;
  readonly client: Client;
  readonly accounts: AccountStore;
  readonly idTokens: IDTokens;
}

/** @returns why the request is refused, or the members of the request that it read. */
export type Check = (context: CheckContext) => Refusal | Partial<AuthorizationRequest>;

const checkClientStatus: Check = ({ client }) => {
  if (client.isBlacklisted) {
    return new Refusal('client-not-blacklisted', 'unauthorized_client', 'This application is blacklisted');
  }
  if (client.registration.grantTypes.includes('authorization_code')) return {};
  const description = 'This client is not registered for authorization codes';
  return new Refusal('client-authorized', 'unauthorized_client', description);
};

const checkRepetition: Check = ({ parameters }) => refuseRepeated(parameters) ?? {};

/** Runs before a missing parameter is refused: it may be in the request object (OIDC Core section 6.1). */
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

const checkResponseType: Check = ({ parameters, client }) => {
  if (parameters.get('response_type') === undefined) {
    return invalidRequest('response-type-required', 'response_type is missing');
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

const checkResponseMode: Check = ({ parameters }) => {
  const mode = parameters.get('response_mode');
  if (mode !== undefined && mode !== 'query' && mode !== 'fragment') {
    return invalidRequest('response-mode-supported', 'response_mode must be query or fragment');
  }
  if (mode === 'query' && responseMode(parameters) === 'fragment') {
    return invalidRequest('id-token-not-in-query', 'An ID Token cannot be returned in the query');
  }
  return {};
};

const checkNonce: Check = ({ parameters }) => {
  const nonce = parameters.get('nonce');
  if (nonce !== undefined || !responseTypeValues(parameters).includes('id_token')) return { nonce };
  return invalidRequest('id-token-response-needs-nonce', 'nonce is required for response_type code id_token');
};

/** An empty scope is the default of the flow. */
const checkScope: Check = ({ parameters, client }) => {
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

const checkPKCE: Check = ({ parameters, client }) => {
  const challenge = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  if (challenge === undefined) {
    if (!client.registration.requirePKCE && method === undefined) return {};
    return invalidRequest('pkce-required', 'code challenge required');
  }
  if (method !== 'S256') {
    const received = method === undefined ? 'left out (which means plain)' : maskWord(method);
    return new Refusal('pkce-s256-only', 'invalid_request', 'transform algorithm not supported', {
      reason: `code_challenge_method must be S256, not ${received}`,
    });
  }
  if (!CODE_CHALLENGE.test(challenge)) {
    return invalidRequest('code-challenge-format', 'code_challenge must be 43 characters of base64url');
  }
  return { codeChallenge: challenge };
};

const PROMPTS: readonly string[] = ['none', 'login', 'consent', 'create'] satisfies Prompt[];

/** Reads the parameters that choose what the user sees, and never fails. */
const readPresentation: Check = ({ parameters, client }) => {
  const loginHint = parameters.get('login_hint');
  const type = client.flow === 'profile' ? parameters.get('type') : undefined;
  return {
    display: parameters.get('display') === 'popup' ? 'popup' : 'page',
    landing: type === 'verify' ? 'verify' : 'login',
    ...(loginHint !== undefined && { loginHint }),
  };
};

const checkPrompt: Check = ({ parameters }) => {
  const words = (parameters.get('prompt') ?? '').split(' ').filter((word) => word !== '');
  const unknown = words.find((word) => !PROMPTS.includes(word));
  if (unknown !== undefined) {
    return invalidRequest('prompt-known', `prompt ${maskWord(unknown)} is not supported`);
  }
  if (words.includes('none') && words.length > 1) {
    return invalidRequest('prompt-combination', 'prompt=none must be the only value');
  }
  return { prompt: new Set(words as Prompt[]) };
};

const checkMaxAge: Check = ({ parameters }) => {
  const maxAge = parameters.get('max_age');
  if (maxAge === undefined) return {};
  if (/^\d{1,12}$/.test(maxAge)) return { maxAge: Number(maxAge) };
  return invalidRequest('max-age-integer', 'max_age must be a whole number of seconds');
};

const checkIDTokenHint: Check = ({ parameters, client, accounts, idTokens }) => {
  const hint = parameters.get('id_token_hint');
  if (hint === undefined) return {};
  const claims = idTokens.readOwn(hint);
  const hinted = claims?.azp === client.id ? accounts.bySub(String(claims.sub)) : undefined;
  if (hinted !== undefined) return { loginHint: hinted.username };
  return invalidRequest(
    'id-token-hint-valid',
    'id_token_hint is not an ID Token that this service issued to this client',
  );
};

/** In this order, once client and redirect URI are valid; a refusal by any of them is redirected. */
export const REQUEST_CHECKS: readonly Check[] = [
  checkClientStatus,
  checkRepetition,
  ({ parameters }) => refuseRequestObjects(parameters) ?? {},
  checkResponseType,
  checkResponseMode,
  checkNonce,
  checkScope,
  checkPKCE,
  readPresentation,
  checkPrompt,
  checkMaxAge,
  checkIDTokenHint,
];
