import { createHmac, createPublicKey, hash, type JsonWebKey, verify } from 'node:crypto';
import { expect } from '@jest/globals';
import type { FaultName } from '../../../lib/mock-provider/mock-provider.js';
import { jwtPart, redeem, refresh, signIn } from '../wire.js';
import { type Effect, jwks, login, redeemed, type Scene } from './effect.js';

type Claims = Record<string, unknown>;

const SUB = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

function isSignedBy(token: string, key: JsonWebKey): boolean {
  const [head, body, signature = ''] = token.split('.');
  const publicKey = createPublicKey({ key, format: 'jwk' });
  return verify('sha256', Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'));
}

async function isRightlySigned(scene: Scene, token: string): Promise<boolean> {
  return (await jwks(scene)).keys.some((key) => isSignedBy(token, key as JsonWebKey));
}

function atLogin(isWrong: (token: string, scene: Scene, before: string) => boolean | Promise<boolean>): Effect {
  return {
    async seen(scene) {
      const before = scene.provider.keys.current;
      const { id_token } = await login(scene);
      if (await isWrong(id_token, scene, before)) return true;
      expect(await isRightlySigned(scene, id_token)).toBe(true);
      return false;
    },
  };
}

/** One claim that is not what it is otherwise; the signature is right. */
function claim(isWrong: (claims: Claims, header: Claims) => boolean): Effect {
  return {
    async seen(scene) {
      const { id_token } = await login(scene);
      expect(await isRightlySigned(scene, id_token)).toBe(true);
      return isWrong(jwtPart(id_token, 'claims'), jwtPart(id_token, 'header'));
    },
  };
}

const missing = (name: string): Effect => claim((claims) => !(name in claims));

/** The ID Token that comes from the authorization endpoint; the one from the token endpoint is right. */
function inFront(isWrong: (claims: Claims, code: string) => boolean): Effect {
  return {
    async seen({ provider, client }) {
      const { hash: fragment } = await signIn(provider, client, { response_type: 'code id_token', nonce: 'a nonce' });
      const parameters = new URLSearchParams(fragment.slice(1));
      const code = parameters.get('code') ?? '';
      const { json } = await redeem(provider, client, code);
      expect(jwtPart(json.id_token, 'claims')).not.toHaveProperty('c_hash');
      return isWrong(jwtPart(parameters.get('id_token') ?? '', 'claims'), code);
    },
  };
}

/** The ID Token of the login is right, the one of the refresh is not. */
function atRefresh(isWrong: (first: Claims, second: Claims) => boolean): Effect {
  return {
    async seen(scene) {
      const { id_token, refresh_token } = await login(scene);
      const { json } = await refresh(scene.provider, scene.client, refresh_token);
      expect(await isRightlySigned(scene, json.id_token)).toBe(true);
      const first = jwtPart(id_token, 'claims');
      expect([first.iss, first.sub]).toEqual([scene.provider.issuer, expect.stringMatching(SUB)]);
      return isWrong(first, jwtPart(json.id_token, 'claims'));
    },
  };
}

const leftHalf = (text: string) => hash('sha256', text, 'buffer').toString('base64url', 0, 16);

const signatures: Partial<Record<FaultName, Effect>> = {
  badSignature: atLogin(async (token, scene) => !(await isRightlySigned(scene, token))),
  algNone: atLogin((token) => jwtPart(token, 'header').alg === 'none' && token.endsWith('.')),
  symmetricKeyConfusion: atLogin(async (token, scene) => {
    const [head, body, signature] = token.split('.');
    const [key] = (await jwks(scene)).keys;
    const pem = createPublicKey({ key: key as JsonWebKey, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const expected = createHmac('sha256', pem).update(`${head}.${body}`).digest('base64url');
    return jwtPart(token, 'header').alg === 'HS256' && signature === expected;
  }),
  wrongAlgorithm: atLogin((token) => jwtPart(token, 'header').alg === 'ES256' && token.split('.')[2]?.length === 86),
  unknownKid: atLogin(async (token, scene) => {
    const { kid } = jwtPart(token, 'header');
    return kid !== undefined && !(await jwks(scene)).keys.some((key) => key.kid === kid);
  }),
  missingKid: atLogin(async (token, scene) => {
    expect((await jwks(scene)).keys).toHaveLength(1);
    return !('kid' in jwtPart(token, 'header'));
  }),
  missingKidSeveralKeys: atLogin(async (token, scene) => {
    const isMissing = !('kid' in jwtPart(token, 'header'));
    if (isMissing) expect((await jwks(scene)).keys.length).toBeGreaterThan(1);
    return isMissing;
  }),
  embeddedKey: atLogin(async (token, scene) => {
    const { jwk } = jwtPart(token, 'header');
    return jwk !== undefined && isSignedBy(token, jwk as JsonWebKey) && !(await isRightlySigned(scene, token));
  }),
  criticalHeader: atLogin((token) => Array.isArray(jwtPart(token, 'header').crit)),
  malformedIDToken: atLogin((token) => !token.includes('.')),
  keysRotatedBeforeSigning: atLogin(async (token, scene, before) => {
    const { kid } = jwtPart(token, 'header');
    expect([await isRightlySigned(scene, token), scene.provider.keys.current]).toEqual([true, kid]);
    return kid !== before;
  }),
  keysRotatedAfterSigning: atLogin(async (token, scene, before) => {
    const { kid } = jwtPart(token, 'header');
    expect([await isRightlySigned(scene, token), kid]).toEqual([true, before]);
    return scene.provider.keys.current !== before;
  }),
};

const HOUR = 3600;

const claims: Partial<Record<FaultName, Effect>> = {
  wrongIssuer: claim(({ iss }) => iss === 'https://evil.example'),
  wrongAudience: claim(({ aud }) => (aud as string[]).length === 1),
  extraAudience: claim(({ aud }) => (aud as string[]).includes('https://evil.example')),
  wrongAzp: claim(({ azp }) => azp === 'another-client'),
  wrongNonce: claim(({ nonce }) => nonce !== 'a nonce' && nonce !== undefined),
  wrongAtHash: {
    async seen(scene) {
      const { id_token, access_token } = await login(scene);
      return jwtPart(id_token, 'claims').at_hash !== leftHalf(access_token);
    },
  },
  wrongCHash: inFront(({ c_hash }, code) => c_hash !== leftHalf(code)),
  wrongSubject: claim(({ sub }) => String(sub).startsWith('00000000-')),
  expired: claim(({ exp, iat }) => (exp as number) < (iat as number)),
  issuedInFuture: claim(({ iat }) => (iat as number) > Date.now() / 1000 + HOUR / 2),
  staleAuthTime: claim(({ iat, auth_time }) => (iat as number) - (auth_time as number) > HOUR),
  missingIss: missing('iss'),
  missingSub: missing('sub'),
  missingAud: missing('aud'),
  missingAzp: missing('azp'),
  missingExp: missing('exp'),
  missingIat: missing('iat'),
  missingNonce: missing('nonce'),
  missingAuthTime: missing('auth_time'),
  missingAtHash: missing('at_hash'),
  missingCHash: inFront((all) => !('c_hash' in all)),
  refreshWrongSubject: atRefresh((first, second) => first.sub !== second.sub),
  refreshWrongIssuer: atRefresh((first, second) => first.iss !== second.iss),
  serverClockOff: {
    options: { offset: '-2 hours' },
    async seen(scene) {
      const { headers, json } = await redeemed(scene);
      const { iat, exp, auth_time } = jwtPart(json.id_token, 'claims') as Record<string, number>;
      const date = Date.parse(headers.get('date') ?? '') / 1000;
      const ago = [iat, (exp as number) - json.expires_in, auth_time, date].map(
        (time) => Date.now() / 1000 - (time as number),
      );
      const isOff = ago.every((seconds) => seconds > HOUR);
      expect([isOff, ago.some((seconds) => seconds > HOUR)]).toEqual([isOff, isOff]);
      return isOff;
    },
  },
};

export const ID_TOKEN_EFFECTS: Partial<Record<FaultName, Effect>> = { ...signatures, ...claims };
