import { matchesDigest } from '../http/digest.js';

/** @returns true for what a SHA-256 is in base64url: exactly 43 characters (RFC 7636 section 4.2, decision 25). */
export function isCodeChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** @returns true when the verifier is well-formed and the challenge is its SHA-256, in constant time (decision 49). */
export function verifierMatches(verifier: string, challenge: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(verifier) && matchesDigest(verifier, challenge);
}
