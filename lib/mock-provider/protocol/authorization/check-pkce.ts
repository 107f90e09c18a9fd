import { maskWord } from '../../http/masking.js';
import { isCodeChallenge } from '../pkce.js';
import { Refusal } from '../refusal.js';
import type { Check } from './check.js';

/** Decisions 23 to 25. */
export const checkPKCE: Check = ({ parameters, client }) => {
  const challenge = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  if (challenge === undefined) {
    if (!client.requiresPKCE && method === undefined) return {};
    return new Refusal('invalid_request', 'code challenge required', {
      decision: 23,
      source: 'RFC 7636 section 4.4.1',
    });
  }
  if (method !== 'S256') {
    return new Refusal('invalid_request', 'transform algorithm not supported', {
      decision: 24,
      source: 'RFC 7636 section 4.4.1',
      reason: `code_challenge_method must be S256, not ${method === undefined ? 'left out (which means plain)' : maskWord(method)}`,
    });
  }
  if (!isCodeChallenge(challenge)) {
    const description = 'code_challenge must be 43 characters of base64url';
    return new Refusal('invalid_request', description, { decision: 25, source: 'RFC 7636 section 4.2' });
  }
  return { codeChallenge: challenge };
};
