import { createHash, type KeyObject, verify } from 'node:crypto';
import { ProtocolError } from '../errors.js';
import { constantTimeEqual } from './constant-time-equal.js';
import type { SigningKeys } from './jwks.js';
import { decodeJWT, type SignedJWT } from './jwt.js';

/** What an ID Token must say to be the one that was waited for. */
export interface IDTokenExpectation {
  issuer: string;
  clientID: string;
  /** The access token that came with it. */
  accessToken: string;
  /** Seconds since the Unix epoch. */
  now: number;
  /** The transaction's, or the first ID Token's where this one came by a refresh. */
  nonce: string | undefined;
  /** At a refresh the nonce may be missing (OIDC Core section 12.2). @default false */
  nonceMayBeMissing?: boolean;
  /** The first ID Token's, at a refresh. */
  subject?: string;
  /** The earliest time of authentication that will do, in seconds since the Unix epoch. Then `auth_time` must be there. */
  authenticatedSince?: number;
}

/** The claims of a validated ID Token that are used. */
export interface IDTokenClaims {
  subject: string;
  authTime?: number;
}

type Claims = Record<string, unknown>;
type Rule = (claims: Claims, expected: IDTokenExpectation) => void;

/** Seconds by which the service's clock and ours may differ, either way. */
const TOLERANCE = 60;
/** OIDC Core section 2: at most 255 ASCII characters. */
const SUBJECT = /^[\x20-\x7E]{1,255}$/;

/** The rules of OIDC Core sections 3.1.3.7 and 12.2 on claims, in the order they are tried. */
const RULES: readonly Rule[] = [
  checkIssuer,
  checkAudience,
  checkAuthorizedParty,
  checkNonce,
  checkAccessTokenHash,
  checkExpiry,
  checkNotBefore,
  checkIssuedAt,
  checkSubject,
  checkSameSubject,
  checkAuthTime,
];

/**
 * Validates an ID Token in full: form, RS256, signature by the key that its `kid` names, and every claim. Done here and not left
 * to openid-client, which by default does not check the signature in this flow and never checks `at_hash`.
 * Sources: OIDC Core sections 3.1.3.6, 3.1.3.7 and 12.2; spec, Authentication 5.
 * @throws ProtocolError with a code of its own for each rule.
 */
export async function validateIDToken(
  text: string,
  expected: IDTokenExpectation,
  keys: SigningKeys,
): Promise<IDTokenClaims> {
  const jwt = decodeJWT(text);
  if (jwt === undefined) throw refusal('malformed', 'is no signed JWT');
  await checkSignature(jwt, keys);
  for (const rule of RULES) rule(jwt.claims, expected);
  const { sub, auth_time } = jwt.claims;
  return { subject: sub as string, ...(auth_time !== undefined && { authTime: auth_time as number }) };
}

async function checkSignature({ header, claims, signedText, signature }: SignedJWT, keys: SigningKeys): Promise<void> {
  const { alg, kid, typ, crit } = header;
  if (alg !== 'RS256') throw refusal('algorithm_refused', 'is not signed with RS256');
  if (crit !== undefined) throw refusal('malformed', 'asks for extensions that nobody here knows ("crit")');
  const otherKind = typ !== undefined && !(typeof typ === 'string' && /^(?:application\/)?jwt$/i.test(typ));
  // A logout token is told by this claim (OpenID Connect Back-Channel Logout 1.0 section 2.4).
  if (otherKind || claims.events !== undefined) throw refusal('malformed', 'is a JWT of another kind');
  if (kid !== undefined && typeof kid !== 'string') throw refusal('malformed', 'has a "kid" that is no text');
  const candidates = await keys.candidates(kid);
  if (candidates.length === 0) throw refusal('key_unknown', 'is signed with a key that the service does not publish');
  const data = Buffer.from(signedText);
  const isBy = (key: KeyObject) => verify('sha256', data, key, signature);
  if (candidates.some(isBy)) return;
  // The key may have been changed under its name, or its document spoilt on the way: without another look nobody could sign in
  // until it is read again. A look that fails says nothing of the token.
  const anew = await keys.candidatesAfterRefetch(kid).catch(() => []);
  if (!anew.some(isBy)) throw refusal('signature_invalid', 'has a signature that is not by the service');
}

function checkIssuer({ iss }: Claims, { issuer }: IDTokenExpectation): void {
  if (iss !== issuer) throw refusal('issuer_mismatch', `is not by ${issuer}`);
}

/** The service names itself beside the client (spec, "ID token"). Nobody else is trusted (OIDC Core section 3.1.3.7, 3). */
function checkAudience({ aud }: Claims, { issuer, clientID }: IDTokenExpectation): void {
  const audience: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audience.includes(clientID)) throw refusal('audience_mismatch', 'is not meant for this client');
  if (!audience.every((one) => one === clientID || one === issuer)) {
    throw refusal('audience_mismatch', 'is meant for somebody else, too');
  }
}

function checkAuthorizedParty({ aud, azp }: Claims, { clientID }: IDTokenExpectation): void {
  const several = Array.isArray(aud) && aud.length > 1;
  if (azp === undefined ? several : azp !== clientID) {
    throw refusal('azp_mismatch', 'does not name this client as its authorized party');
  }
}

function checkNonce({ nonce }: Claims, expected: IDTokenExpectation): void {
  if (nonce === undefined && expected.nonceMayBeMissing === true) return;
  if (typeof nonce !== 'string' || expected.nonce === undefined || !constantTimeEqual(nonce, expected.nonce)) {
    throw refusal('nonce_mismatch', 'does not answer this sign-in');
  }
}

function checkAccessTokenHash({ at_hash }: Claims, { accessToken }: IDTokenExpectation): void {
  if (at_hash === undefined) return;
  const hash = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
  if (typeof at_hash !== 'string' || !constantTimeEqual(at_hash, hash)) {
    throw refusal('at_hash_mismatch', 'belongs to another access token');
  }
}

function checkExpiry({ exp }: Claims, { now }: IDTokenExpectation): void {
  if (now >= time('exp', exp) + TOLERANCE) throw refusal('expired', 'has expired');
}

function checkNotBefore({ nbf }: Claims, { now }: IDTokenExpectation): void {
  if (nbf !== undefined && time('nbf', nbf) > now + TOLERANCE) throw refusal('not_yet_valid', 'is not valid yet');
}

function checkIssuedAt({ iat }: Claims, { now }: IDTokenExpectation): void {
  if (time('iat', iat) > now + TOLERANCE)
    throw refusal('issued_in_future', 'was issued in the future: compare the clocks');
}

function checkSubject({ sub }: Claims): void {
  if (typeof sub !== 'string' || !SUBJECT.test(sub))
    throw refusal('claim_missing', 'names nobody: "sub" is missing or no text');
}

function checkSameSubject({ sub }: Claims, { subject }: IDTokenExpectation): void {
  if (subject !== undefined && sub !== subject) throw refusal('subject_changed', 'is about somebody else than before');
}

function checkAuthTime({ auth_time }: Claims, { now, authenticatedSince }: IDTokenExpectation): void {
  if (auth_time === undefined && authenticatedSince === undefined) return;
  const authTime = time('auth_time', auth_time);
  if (authTime > now + TOLERANCE)
    throw refusal('issued_in_future', 'tells of a sign-in in the future: compare the clocks');
  if (authenticatedSince !== undefined && authTime < authenticatedSince - TOLERANCE) {
    throw refusal('auth_time_too_old', 'tells of a sign-in that is too long ago');
  }
}

function time(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw refusal('claim_missing', `has no "${name}", or one that is no time`);
}

/** Never quotes the token: a sentence about it ends in a log. */
function refusal(code: string, fault: string): ProtocolError {
  return new ProtocolError(`id_token_${code}`, `Nobody is signed in: the ID Token ${fault}.`);
}
