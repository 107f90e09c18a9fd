import { timingSafeEqual } from 'node:crypto';
import { digest } from '../digest.js';

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

/** @returns true for what a SHA-256 is in base64url (decision 25; RFC 7636 section 4.2). */
export function isCodeChallenge(text: string): boolean {
  return CHALLENGE.test(text);
}

/** @returns true when the verifier is well-formed and the challenge is its SHA-256, in constant time (decision 49). */
export function verifierMatches(verifier: string, challenge: string): boolean {
  return VERIFIER.test(verifier) && timingSafeEqual(Buffer.from(digest(verifier)), Buffer.from(challenge));
}
