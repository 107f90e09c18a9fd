import type { Parameters } from '../../http/parameters.js';
import type { CodeBinding } from '../../state/grants.js';
import { verifierMatches } from '../pkce.js';
import { Refusal } from '../refusal.js';
import type { GrantHandler } from './grant-handler.js';

/** grant_type authorization_code (decisions 48 to 50). A failed attempt does not use the code up. */
export const authorizationCodeGrant: GrantHandler = (form, client, grants) => {
  const [code, redirectURI] = [form.get('code'), form.get('redirect_uri')];
  if (code === undefined) return missing('code');
  if (redirectURI === undefined) return missing('redirect_uri');
  const found = grants.findCode(code);
  if (found === undefined || found.grant.client !== client) {
    const reason = found && 'the code was issued to another client';
    return refuse('The code is unknown or expired', 48, 'RFC 6749 section 5.2', reason);
  }
  const { grant, state } = found;
  const { binding } = grant;
  if (state === 'used' || binding === undefined) {
    // A second use tells of a thief, and nobody knows which of the two it is: all that the code gave ends.
    grants.revoke(grant);
    return refuse('The code was used before: what it gave is revoked', 50, 'RFC 6749 section 4.1.2');
  }
  if (binding.redirectURI !== redirectURI) {
    return refuse('redirect_uri differs from the one in the authorization request', 48, 'RFC 6749 section 4.1.3');
  }
  const refusal = checkVerifier(form, binding);
  return refusal ?? { ...grants.redeem(grant), askedScope: grant.askedScope, isRefresh: false };
};

/** Decision 49. */
function checkVerifier(form: Parameters, { codeChallenge }: CodeBinding): Refusal | undefined {
  const verifier = form.get('code_verifier');
  if (codeChallenge === undefined) {
    if (verifier === undefined) return undefined;
    return refuse('code_verifier was sent for a code without code_challenge', 49, 'RFC 9700 section 4.8.2');
  }
  if (verifier !== undefined && verifierMatches(verifier, codeChallenge)) return undefined;
  const reason =
    verifier === undefined
      ? 'code_verifier is missing'
      : 'code_verifier is malformed, or not the one of code_challenge';
  return refuse('code_verifier is missing or wrong', 49, 'RFC 7636 section 4.6', reason);
}

function missing(name: string): Refusal {
  return new Refusal('invalid_request', `${name} is missing`, { decision: 48, source: 'RFC 6749 section 4.1.3' });
}

function refuse(description: string, decision: number, source: string, reason: string = description): Refusal {
  return new Refusal('invalid_grant', description, { decision, source, reason });
}
