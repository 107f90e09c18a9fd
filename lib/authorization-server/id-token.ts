import { hash, verify } from 'node:crypto';
import type { CodeOf } from '../errors/error-codes.js';
import { ProtocolError } from '../errors/errors.js';
import { PROTOTYPE_NAMES, parseObject } from '../http/json.js';
import { constantTimeEqual } from '../sealing/sealer.js';
import type { SigningKey, SigningKeys } from './jwks.js';

/** The values that an ID Token must match. */
export interface IDTokenExpectation {
  issuer: string;
  clientID: string;
  /** The access token of the same token response. */
  accessToken: string;
  /** Seconds since the Unix epoch. */
  now: number;
  /** The nonce of the transaction, or of the first ID Token at a refresh. */
  nonce: string | undefined;
  /** Accepts an ID Token without a nonce, as a refresh may return (OIDC Core section 12.2). @default false */
  nonceOptional?: boolean;
  /** The subject of the first ID Token, at a refresh. */
  subject?: string;
  /** The earliest accepted `auth_time`, in seconds since the Unix epoch. Then the claim is required. */
  authenticatedSince?: number;
}

/** The claims of a validated ID Token that this package uses. */
export interface IDTokenClaims {
  subject: string;
  /** The claim `auth_time`, in milliseconds since the Unix epoch. */
  authTime?: number;
}

type Claims = Record<string, unknown>;
type Check = (claims: Claims, expected: IDTokenExpectation) => void;

/** The accepted difference between the clocks of the service and the site, in seconds. */
const TOLERANCE_SECONDS = 60;
/** OIDC Core section 2: at most 255 ASCII characters. */
const SUBJECT = /^[\x20-\x7E]{1,255}$/;

/** The checks of OIDC Core sections 3.1.3.7 and 12.2 on claims, in this order. */
const CHECKS: readonly Check[] = [
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
 * Validates an ID Token: form, RS256, signature by the key that `kid` names, and every claim (docs/project/decisions.md).
 * Sources: OIDC Core sections 3.1.3.6, 3.1.3.7 and 12.2; service spec, Authentication 5.
 * @throws ProtocolError, with the name of the claim that is wrong
 */
export async function validateIDToken(
  text: string,
  expected: IDTokenExpectation,
  keys: SigningKeys,
): Promise<IDTokenClaims> {
  const jwt = decodeJWT(text);
  if (jwt === undefined) throw invalid(undefined, 'it is not a signed JWT');
  await checkSignature(jwt, keys);
  for (const check of CHECKS) check(jwt.claims, expected);
  const { sub, auth_time } = jwt.claims;
  return { subject: sub as string, ...(auth_time !== undefined && { authTime: (auth_time as number) * 1000 }) };
}

/** @returns the nonce of an ID Token that was validated before. */
export function nonceOf(idToken: string): string | undefined {
  const claim = decodeJWT(idToken)?.claims.nonce;
  return typeof claim === 'string' && claim !== '' ? claim : undefined;
}

/** @returns the claims of an ID Token that was validated before, without members that access a prototype. */
export function claimsOf(idToken: string): Record<string, unknown> {
  const json = JSON.stringify(decodeJWT(idToken)?.claims ?? {});
  return JSON.parse(json, (name, value) => (PROTOTYPE_NAMES.has(name) ? undefined : value));
}

async function checkSignature({ header, claims, signedText, signature }: SignedJWT, keys: SigningKeys): Promise<void> {
  const { alg, kid, typ, crit } = header;
  if (alg !== 'RS256') throw invalid('alg', 'it is not signed with RS256, which the service must use for this client');
  if (crit !== undefined) throw invalid('crit', 'it requires extensions, which are not supported ("crit")');
  const isOtherType = typ !== undefined && !(typeof typ === 'string' && /^(?:application\/)?jwt$/i.test(typ));
  // This claim marks a logout token (OIDC Back-Channel Logout 1.0 section 2.4).
  if (isOtherType || claims.events !== undefined)
    throw invalid(isOtherType ? 'typ' : 'events', 'it is another type of JWT');
  if (kid !== undefined && typeof kid !== 'string') throw invalid('kid', 'its "kid" is not a string');
  const candidates = await keys.candidates(kid);
  if (candidates.length === 0) throw invalid('kid', keyProblem(kid));
  const data = Buffer.from(signedText);
  const hasSigned = ({ key }: SigningKey) => verify('sha256', data, key, signature);
  if (candidates.some(hasSigned)) return;
  // The service may have replaced the key under the same kid, or the cached key set may be wrong. Without a refetch every
  // sign-in would fail until the cache expires. A failed refetch does not change the result.
  const refetched = await keys.candidatesAfterRefetch(kid).catch(() => []);
  if (!refetched.some(hasSigned)) throw invalid(undefined, 'the service has not signed it');
}

function keyProblem(kid: string | undefined): string {
  return kid === undefined
    ? 'it has no "kid", and the service does not publish exactly one key'
    : 'the service does not publish its signing key';
}

function checkIssuer({ iss }: Claims, { issuer }: IDTokenExpectation): void {
  if (iss !== issuer) throw invalid('iss', `its issuer is not ${issuer}`);
}

/** The service adds itself (service spec, "ID token"). No other audience is trusted (OIDC Core section 3.1.3.7, 3). */
function checkAudience({ aud }: Claims, { issuer, clientID }: IDTokenExpectation): void {
  const audience: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audience.includes(clientID)) throw invalid('aud', 'this client is not its audience');
  if (!audience.every((one) => one === clientID || one === issuer)) {
    throw invalid('aud', 'it has another audience in addition to this client');
  }
}

function checkAuthorizedParty({ aud, azp }: Claims, { clientID }: IDTokenExpectation): void {
  const isRequired = Array.isArray(aud) && aud.length > 1;
  if (azp === undefined ? isRequired : azp !== clientID) {
    throw invalid('azp', 'this client is not its authorized party');
  }
}

function checkNonce({ nonce }: Claims, expected: IDTokenExpectation): void {
  if (nonce === undefined && expected.nonceOptional === true) return;
  if (typeof nonce !== 'string' || expected.nonce === undefined || !constantTimeEqual(nonce, expected.nonce)) {
    throw invalid('nonce', 'its nonce is not the one of this sign-in');
  }
}

function checkAccessTokenHash({ at_hash }: Claims, { accessToken }: IDTokenExpectation): void {
  if (at_hash === undefined) return;
  const digest = hash('sha256', accessToken, 'buffer');
  if (typeof at_hash !== 'string' || !constantTimeEqual(at_hash, digest.toString('base64url', 0, 16))) {
    throw invalid('at_hash', 'its at_hash is that of another access token');
  }
}

function checkExpiry({ exp }: Claims, { now }: IDTokenExpectation): void {
  if (now >= time('exp', exp) + TOLERANCE_SECONDS)
    throw rejected(
      'id_token_expired',
      `it has expired ${Math.round(now - time('exp', exp))} seconds ago by the clock of this machine`,
    );
}

function checkNotBefore({ nbf }: Claims, { now }: IDTokenExpectation): void {
  if (nbf !== undefined) refuseFuture('nbf', nbf, now);
}

function checkIssuedAt({ iat }: Claims, { now }: IDTokenExpectation): void {
  refuseFuture('iat', iat, now);
}

function checkSubject({ sub }: Claims): void {
  if (typeof sub !== 'string' || !SUBJECT.test(sub)) {
    throw invalid('sub', 'its "sub" is missing or not 1 to 255 ASCII characters');
  }
}

function checkSameSubject({ sub }: Claims, { subject }: IDTokenExpectation): void {
  if (subject === undefined || sub === subject) return;
  throw rejected('id_token_subject_changed', 'its subject is another user than before the refresh');
}

function checkAuthTime({ auth_time }: Claims, { now, authenticatedSince }: IDTokenExpectation): void {
  if (auth_time === undefined && authenticatedSince === undefined) return;
  const authTime = refuseFuture('auth_time', auth_time, now);
  if (authenticatedSince !== undefined && authTime < authenticatedSince - TOLERANCE_SECONDS) {
    throw invalid('auth_time', 'the user signed in at the service too long ago for this request');
  }
}

/** Throws for a time in the future: the message shows how far the clocks differ. */
function refuseFuture(name: string, value: unknown, now: number): number {
  const seconds = time(name, value);
  if (seconds <= now + TOLERANCE_SECONDS) return seconds;
  throw invalid(
    name,
    `its "${name}" is ${Math.round(seconds - now)} seconds in the future by the clock of this machine. Compare the clocks of site and service`,
  );
}

/** @returns a NumericDate (RFC 7519 section 2). */
function time(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw invalid(name, `its "${name}" is missing or not a time`);
}

function invalid(claim: string | undefined, reason: string): ProtocolError {
  return rejected('id_token_invalid', reason, claim);
}

/** The message never quotes the token, because messages are logged. */
function rejected(code: CodeOf<'ProtocolError'>, reason: string, claim?: string): ProtocolError {
  return new ProtocolError(code, `The ID Token was rejected: ${reason}.`, undefined, { claim });
}

/** A signed JWT, decoded and not verified (RFC 7519, RFC 7515 section 7.1). */
interface SignedJWT {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  /** The JWS Signing Input (RFC 7515 section 5.1). */
  signedText: string;
  signature: Buffer;
}

const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

function decodeJWT(text: string): SignedJWT | undefined {
  if (!COMPACT_JWS.test(text)) return undefined;
  const [headerPart, claimsPart, signaturePart] = text.split('.') as [string, string, string];
  const header = parseObject(Buffer.from(headerPart, 'base64url'));
  const claims = parseObject(Buffer.from(claimsPart, 'base64url'));
  if (header === undefined || claims === undefined) return undefined;
  const signature = Buffer.from(signaturePart, 'base64url');
  return { header, claims, signedText: `${headerPart}.${claimsPart}`, signature };
}
