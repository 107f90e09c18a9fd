import type { Parameters } from '../../parameters.js';
import { Refusal } from '../../refusal.js';
import type { Account } from '../../stores/account.js';
import type { Client } from '../../stores/clients.js';
import { isCodeChallenge } from '../pkce.js';
import { DEFAULT_SCOPE, EVERY_SCOPE, isScopeText, scopeWords } from '../scopes.js';

/** What the checks read, besides the parameters. */
export interface CheckContext {
  parameters: Parameters;
  client: Client;
  /** Reads an id_token_hint: whom it names, or undefined when it is not one of ours. */
  readHint(hint: string): Account | undefined;
}

type Check = (context: CheckContext) => Refusal | undefined;

const RESPONSE_TYPES = new Set(['code', 'code id_token']);
const PROMPTS = new Set(['none', 'login', 'consent', 'create']);

function refuse(error: string, description: string, decision: number, source: string): Refusal {
  return new Refusal(error, description, { decision, source });
}

/** @returns the response type with its words in order (decision 17: their order does not matter). */
export function responseTypeOf(parameters: Parameters): string {
  return scopeWords(parameters.get('response_type') ?? '')
    .sort()
    .join(' ');
}

/** @returns where the answer goes: as asked when that can be, else by the response type (decision 14). */
export function responseModeOf(parameters: Parameters): 'query' | 'fragment' {
  const asked = parameters.get('response_mode');
  if (asked === 'query' || asked === 'fragment') return asked;
  return /\b(token|id_token)\b/.test(responseTypeOf(parameters)) ? 'fragment' : 'query';
}

/** @returns the scope that is asked for, unknown words left out where that is allowed (decisions 20 to 22). */
export function scopeOf(parameters: Parameters, client: Client): string[] {
  const words = scopeWords(parameters.get('scope') ?? '');
  if (words.length === 0) return [...DEFAULT_SCOPE[client.flow]];
  return words.filter((word) => EVERY_SCOPE[client.flow].includes(word));
}

function clientIsWelcome({ client }: CheckContext) {
  if (client.isBlacklisted)
    return refuse('unauthorized_client', 'This application is blocked', 15, 'RFC 6749 section 4.1.2.1');
}

function nothingTwice({ parameters }: CheckContext) {
  const [name] = parameters.repeated;
  if (name !== undefined)
    return refuse(
      'invalid_request',
      `${name} was sent more than once`,
      name === 'state' ? 16 : 5,
      'RFC 6749 section 3.1',
    );
}

function responseTypeIsSupported({ parameters, client }: CheckContext) {
  const source = 'RFC 6749 section 3.1.1';
  if (parameters.get('response_type') === undefined)
    return refuse('invalid_request', 'response_type is missing', 17, source);
  const type = responseTypeOf(parameters);
  if (!RESPONSE_TYPES.has(type)) return refuse('unsupported_response_type', 'response_type must be code', 17, source);
  if (!client.responseTypes.includes(type))
    return refuse('unsupported_response_type', `This client is not registered for response_type ${type}`, 18, source);
}

function responseModeIsSupported({ parameters }: CheckContext) {
  const mode = parameters.get('response_mode');
  if (mode === undefined) return undefined;
  if (mode !== 'query' && mode !== 'fragment')
    return refuse('invalid_request', 'response_mode must be query or fragment', 19, 'spec, GET /oauth/authorize');
  if (mode === 'query' && responseTypeOf(parameters) !== 'code')
    return refuse(
      'invalid_request',
      'An ID Token is never sent in a query',
      18,
      'OAuth Multiple Response Types section 5',
    );
}

function scopeIsAllowed({ parameters, client }: CheckContext) {
  const text = parameters.get('scope');
  if (text === undefined) return undefined;
  const source = 'RFC 6749 section 3.3';
  if (!isScopeText(text.trim())) return refuse('invalid_scope', 'scope has characters that no scope has', 21, source);
  const words = scopeWords(text);
  const unknown = words.filter((word) => !EVERY_SCOPE[client.flow].includes(word));
  if (unknown.length > 0 && !words.includes('openid'))
    return refuse('invalid_scope', 'scope names something that there is not in this flow', 21, source);
  const refused = words.find((word) => EVERY_SCOPE[client.flow].includes(word) && !client.scope.has(word));
  if (refused !== undefined)
    return refuse(
      'invalid_scope',
      `This client is not allowed the scope ${refused}`,
      21,
      'spec, What the service does',
    );
  if (client.flow === 'openid' && !words.includes('openid'))
    return refuse('invalid_scope', 'Form B asks for the scope openid', 21, 'OpenID Connect Core section 3.1.2.1');
}

function challengeIsRight({ parameters, client }: CheckContext) {
  const challenge = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  if (challenge === undefined) {
    if (client.requiresPKCE) return refuse('invalid_request', 'code challenge required', 23, 'RFC 7636 section 4.4.1');
    if (method !== undefined)
      return refuse('invalid_request', 'code_challenge_method came without code_challenge', 23, 'RFC 7636 section 4.3');
    return undefined;
  }
  if (method !== 'S256')
    return refuse('invalid_request', 'transform algorithm not supported', 24, 'RFC 7636 section 4.4.1');
  if (!isCodeChallenge(challenge))
    return refuse('invalid_request', 'code_challenge must be 43 characters of base64url', 25, 'RFC 7636 section 4.2');
}

function requestObjectIsAbsent({ parameters }: CheckContext) {
  for (const name of ['request', 'request_uri', 'registration']) {
    if (parameters.get(name) !== undefined)
      return refuse(`${name}_not_supported`, `${name} is not supported`, 26, 'OpenID Connect Core section 3.1.2.6');
  }
}

function promptIsKnown({ parameters }: CheckContext) {
  const words = scopeWords(parameters.get('prompt') ?? '');
  const source = 'OpenID Connect Core section 3.1.2.1';
  const unknown = words.find((word) => !PROMPTS.has(word));
  if (unknown !== undefined) return refuse('invalid_request', `prompt ${unknown} is not known`, 28, source);
  if (words.includes('none') && words.length > 1)
    return refuse('invalid_request', 'prompt none goes with nothing else', 28, source);
}

function maxAgeIsANumber({ parameters }: CheckContext) {
  const maxAge = parameters.get('max_age');
  if (maxAge !== undefined && !/^\d{1,10}$/.test(maxAge))
    return refuse(
      'invalid_request',
      'max_age must be a number of whole seconds',
      32,
      'OpenID Connect Core section 3.1.2.1',
    );
}

function hybridHasNonce({ parameters }: CheckContext) {
  if (responseTypeOf(parameters) !== 'code' && parameters.get('nonce') === undefined) {
    return refuse('invalid_request', 'nonce is required with code id_token', 18, 'OpenID Connect Core section 3.3.2.1');
  }
}

function hintIsOurs({ parameters, readHint }: CheckContext) {
  const hint = parameters.get('id_token_hint');
  if (hint !== undefined && readHint(hint) === undefined)
    return refuse(
      'invalid_request',
      'id_token_hint is not an ID Token of this provider',
      33,
      'OpenID Connect Core section 3.1.2.1',
    );
}

/** Decisions 15 to 33, in their order. Each answers the client by redirect. */
export const CHECKS: readonly Check[] = [
  clientIsWelcome,
  nothingTwice,
  responseTypeIsSupported,
  responseModeIsSupported,
  scopeIsAllowed,
  challengeIsRight,
  requestObjectIsAbsent,
  promptIsKnown,
  maxAgeIsANumber,
  hybridHasNonce,
  hintIsOurs,
];
