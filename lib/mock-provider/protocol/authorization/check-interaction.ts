import { maskWord } from '../../http/masking.js';
import type { Prompt } from '../../state/authorization-request.js';
import { readOwnIDToken } from '../id-token.js';
import { Refusal } from '../refusal.js';
import type { Check } from './check.js';

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

export const checkIDTokenHint: Check = ({ parameters, client, issuer, keys, accounts }) => {
  const hint = parameters.get('id_token_hint');
  if (hint === undefined) return {};
  const claims = readOwnIDToken(hint, keys, issuer);
  const hinted = claims?.azp === client.id ? accounts.bySub(String(claims.sub)) : undefined;
  if (hinted !== undefined) return { loginHint: hinted.username };
  const description = 'id_token_hint is not an ID Token that this service issued to this client';
  return new Refusal('id-token-hint-valid', 'invalid_request', description);
};
