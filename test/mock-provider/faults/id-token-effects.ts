import { createHmac, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { expect } from '@jest/globals';
import type { FaultName } from '../../../lib/mock-provider/mock-provider.js';
import { jwtPart } from '../wire.js';
import { type Effect, fetchJWKS, login, type Parties } from './effect.js';

type Claims = Record<string, unknown>;

function isSignedBy(token: string, key: JsonWebKey): boolean {
  const [head, body, signature = ''] = token.split('.');
  const publicKey = createPublicKey({ key, format: 'jwk' });
  return verify('sha256', Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'));
}

async function isSignatureValid(parties: Parties, token: string): Promise<boolean> {
  return (await fetchJWKS(parties)).keys.some((key) => isSignedBy(token, key as JsonWebKey));
}

function atSignIn(isWrong: (token: string, parties: Parties, before: string) => boolean | Promise<boolean>): Effect {
  return {
    async isFaulty(parties) {
      const before = parties.provider.keys.current;
      const { id_token } = await login(parties);
      if (await isWrong(id_token, parties, before)) return true;
      expect(await isSignatureValid(parties, id_token)).toBe(true);
      return false;
    },
  };
}

/** The effect of a changed claim; the signature is valid. */
function claim(isWrong: (claims: Claims, header: Claims) => boolean): Effect {
  return {
    async isFaulty(parties) {
      const { id_token } = await login(parties);
      expect(await isSignatureValid(parties, id_token)).toBe(true);
      return isWrong(jwtPart(id_token, 'claims'), jwtPart(id_token, 'header'));
    },
  };
}

const signatures: Partial<Record<FaultName, Effect>> = {
  badSignature: atSignIn(async (token, parties) => !(await isSignatureValid(parties, token))),
  algNone: atSignIn((token) => jwtPart(token, 'header').alg === 'none' && token.endsWith('.')),
  symmetricKeyConfusion: atSignIn(async (token, parties) => {
    const [head, body, signature] = token.split('.');
    const [key] = (await fetchJWKS(parties)).keys;
    const pem = createPublicKey({ key: key as JsonWebKey, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const expected = createHmac('sha256', pem).update(`${head}.${body}`).digest('base64url');
    return jwtPart(token, 'header').alg === 'HS256' && signature === expected;
  }),
  wrongAlgorithm: atSignIn((token) => jwtPart(token, 'header').alg === 'ES256' && token.split('.')[2]?.length === 86),
  unknownKid: atSignIn(async (token, parties) => {
    const { kid } = jwtPart(token, 'header');
    return kid !== undefined && !(await fetchJWKS(parties)).keys.some((key) => key.kid === kid);
  }),
  missingKid: atSignIn(async (token, parties) => {
    expect((await fetchJWKS(parties)).keys).toHaveLength(1);
    return !('kid' in jwtPart(token, 'header'));
  }),
  missingKidSeveralKeys: atSignIn(async (token, parties) => {
    const isMissing = !('kid' in jwtPart(token, 'header'));
    if (isMissing) expect((await fetchJWKS(parties)).keys.length).toBeGreaterThan(1);
    return isMissing;
  }),
  embeddedKey: atSignIn(async (token, parties) => {
    const { jwk } = jwtPart(token, 'header');
    return jwk !== undefined && isSignedBy(token, jwk as JsonWebKey) && !(await isSignatureValid(parties, token));
  }),
  criticalHeader: atSignIn((token) => Array.isArray(jwtPart(token, 'header').crit)),
  malformedIDToken: atSignIn((token) => !token.includes('.')),
  keysRotated: atSignIn(async (token, parties, before) => {
    const { kid } = jwtPart(token, 'header');
    expect([await isSignatureValid(parties, token), parties.provider.keys.current]).toEqual([true, kid]);
    return kid !== before;
  }),
};

const HOUR_SECONDS = 3600;

const claims: Partial<Record<FaultName, Effect>> = {
  wrongIssuer: claim(({ iss }) => iss === 'https://evil.example'),
  missingSub: claim(({ sub }) => sub === undefined),
  extraAudience: claim(({ aud }) => (aud as string[]).includes('https://evil.example')),
  expired: claim(({ exp, iat }) => (exp as number) < (iat as number)),
  issuedInFuture: claim(({ iat }) => (iat as number) > Date.now() / 1000 + HOUR_SECONDS / 2),
  staleAuthTime: claim(({ iat, auth_time }) => (iat as number) - (auth_time as number) > HOUR_SECONDS),
};

export const ID_TOKEN_EFFECTS: Partial<Record<FaultName, Effect>> = { ...signatures, ...claims };
