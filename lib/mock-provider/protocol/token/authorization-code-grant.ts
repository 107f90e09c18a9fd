import { matchesDigest } from '../../http/digest.js';
import type { CodeBinding } from '../../state/grants.js';
import { invalidRequest, Refusal } from '../refusal.js';
import type { GrantHandler } from './token-response.js';

const CODE_VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Handles grant_type authorization_code. A failed attempt does not use the code up. */
export const authorizationCodeGrant: GrantHandler = (form, client, grants) => {
  const [code, redirectURI] = [form.get('code'), form.get('redirect_uri')];
  if (code === undefined) return invalidRequest('code-required', 'code is missing');
  if (redirectURI === undefined) {
    return invalidRequest('code-redirect-uri-required', 'redirect_uri is missing');
  }
  const found = grants.findCode(code);
  if (found === undefined || found.grant.client !== client) {
    const reason = found && 'the code was issued to another client';
    return new Refusal('code-valid', 'invalid_grant', 'The code is unknown or expired', { reason });
  }
  const { grant, state } = found;
  const { binding } = grant;
  if (state === 'reused' || binding === undefined) {
    // One of the two uses may be an attacker's, and the provider cannot distinguish them: it revokes every token of the code.
    grants.revoke(grant);
    return new Refusal('code-single-use', 'invalid_grant', 'The code was already used; its tokens are revoked');
  }
  if (binding.redirectURI !== redirectURI) {
    const description = 'redirect_uri differs from the one in the authorization request';
    return new Refusal('code-redirect-uri-matches', 'invalid_grant', description);
  }
  const refusal = checkVerifier(form.get('code_verifier'), binding);
  return refusal ?? { nonce: binding.nonce, ...grants.redeem(grant) };
};

function checkVerifier(verifier: string | undefined, { codeChallenge }: CodeBinding): Refusal | undefined {
  if (codeChallenge === undefined) {
    if (verifier === undefined) return undefined;
    const description = 'code_verifier was sent for a code without code_challenge';
    return new Refusal('no-verifier-without-challenge', 'invalid_grant', description);
  }
  if (verifier !== undefined && CODE_VERIFIER.test(verifier) && matchesDigest(verifier, codeChallenge))
    return undefined;
  return new Refusal('code-verifier-matches', 'invalid_grant', 'code_verifier is missing or wrong', {
    reason:
      verifier === undefined
        ? 'code_verifier is missing'
        : 'code_verifier is malformed, or does not match code_challenge',
  });
}
