import { maskWord } from '../../http/masking.js';
import { Refusal } from '../refusal.js';
import type { Check } from './check.js';

/** A SHA-256 in base64url. */
const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

export const checkPKCE: Check = ({ parameters, client }) => {
  const challenge = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  if (challenge === undefined) {
    if (!client.requiresPKCE && method === undefined) return {};
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
