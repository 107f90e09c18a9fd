import { createHmac, createPublicKey, hash, type JsonWebKey, verify } from 'node:crypto';
import { expect } from '@jest/globals';
import type { FaultName } from '../../../lib/mock-provider/mock-provider.js';
import { jwtPart, redeem, refresh, signIn } from '../wire.js';
import { type Effect, fetchJWKS, login, type Parties, redeemCode } from './effect.js';

type Claims = Record<string, unknown>;

const SUB = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

function isSignedBy(token: string, key: JsonWebKey): boolean {
  const [head, body, signature = ''] = token.split('.');
  const publicKey = createPublicKey({ key, format: 'jwk' });
  return verify('sha256', Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'));
}

export async function isSignatureValid(parties: Parties, token: string): Promise<boolean> {
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

/** The effect in the ID Token of the authorization endpoint. */
function atAuthorization(isWrong: (claims: Claims, code: string) => boolean): Effect {
  return {
    async isFaulty({ provider, client }) {
      const { hash: fragment } = await signIn(provider, client, { response_type: 'code id_token', nonce: 'a nonce' });
      const parameters = new URLSearchParams(fragment.slice(1));
      const code = parameters.get('code') ?? '';
      const { json } = await redeem(provider, client, code);
      expect(jwtPart(json.id_token, 'claims')).not.toHaveProperty('c_hash');
      return isWrong(jwtPart(parameters.get('id_token') ?? '', 'claims'), code);
    },
  };
}

/** The effect in the ID Token of a refresh; the one of the sign-in is valid. */
function atRefresh(isWrong: (first: Claims, second: Claims) => boolean): Effect {
  return {
    async isFaulty(parties) {
      const { id_token, refresh_token } = await login(parties);
      const { json } = await refresh(parties.provider, parties.client, refresh_token);
      expect(await isSignatureValid(parties, json.id_token)).toBe(true);
      const first = jwtPart(id_token, 'claims');
      expect([first.iss, first.sub]).toEqual([parties.provider.issuer, expect.stringMatching(SUB)]);
      return isWrong(first, jwtPart(json.id_token, 'claims'));
    },
  };
}

const leftHalf = (text: string) => hash('sha256', text, 'buffer').toString('base64url', 0, 16);

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
  keysRotatedBeforeSigning: atSignIn(async (token, parties, before) => {
    const { kid } = jwtPart(token, 'header');
    expect([await isSignatureValid(parties, token), parties.provider.keys.current]).toEqual([true, kid]);
    return kid !== before;
  }),
  keysRotatedAfterSigning: atSignIn(async (token, parties, before) => {
    const { kid } = jwtPart(token, 'header');
    expect([await isSignatureValid(parties, token), kid]).toEqual([true, before]);
    return parties.provider.keys.current !== before;
  }),
};

const HOUR_SECONDS = 3600;

const claims: Partial<Record<FaultName, Effect>> = {
  extraAudience: claim(({ aud }) => (aud as string[]).includes('https://evil.example')),
  wrongCHash: atAuthorization(({ c_hash }, code) => c_hash !== leftHalf(code)),
  expired: claim(({ exp, iat }) => (exp as number) < (iat as number)),
  issuedInFuture: claim(({ iat }) => (iat as number) > Date.now() / 1000 + HOUR_SECONDS / 2),
  staleAuthTime: claim(({ iat, auth_time }) => (iat as number) - (auth_time as number) > HOUR_SECONDS),
  missingCHash: atAuthorization((all) => !('c_hash' in all)),
  refreshWrongSubject: atRefresh((first, second) => first.sub !== second.sub),
  refreshWrongIssuer: atRefresh((first, second) => first.iss !== second.iss),
  serverClockOff: {
    options: { offset: '-2 hours' },
    async isFaulty(parties) {
      const { headers, json } = await redeemCode(parties);
      const { iat, exp, auth_time } = jwtPart(json.id_token, 'claims') as Record<string, number>;
      const date = Date.parse(headers.get('date') ?? '') / 1000;
      const ago = [iat, (exp as number) - json.expires_in, auth_time, date].map(
        (time) => Date.now() / 1000 - (time as number),
      );
      const isOff = ago.every((seconds) => seconds > HOUR_SECONDS);
      expect([isOff, ago.some((seconds) => seconds > HOUR_SECONDS)]).toEqual([isOff, isOff]);
      return isOff;
    },
  },
};

export const ID_TOKEN_EFFECTS: Partial<Record<FaultName, Effect>> = { ...signatures, ...claims };
