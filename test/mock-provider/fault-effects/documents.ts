import { expect } from '@jest/globals';
import type { FaultName } from '../../../lib/mock-provider/mock-provider.js';
import { api } from '../wire.js';
import { document, type Effect, jwks, login, redeemed } from './effect.js';

type Members = Record<string, unknown>;

function inMetadata(isWrong: (metadata: Members, issuer: string) => boolean): Effect {
  return {
    async seen(scene) {
      const { status, json } = await document(scene, '/.well-known/openid-configuration');
      expect([status, json.token_endpoint]).toEqual([200, `${scene.provider.issuer}/oauth/token`]);
      return isWrong(json, scene.provider.issuer);
    },
  };
}

function inAnswer(path: string, isWrong: (members: Members) => boolean): Effect {
  return {
    async seen(scene) {
      const { access_token } = await login(scene);
      const { status, json } = await api(scene.provider, path, access_token);
      expect(status).toBe(200);
      return isWrong(json);
    },
  };
}

const inUserinfo = (isWrong: (members: Members) => boolean) => inAnswer('/oauth/userinfo', isWrong);
const inProfile = (isWrong: (members: Members) => boolean) => inAnswer('/api/v1/users/current', isWrong);

function inTokenResponse(isWrong: (members: Members) => boolean): Effect {
  return {
    async seen(scene) {
      const { status, json } = await redeemed(scene);
      expect(status).toBe(200);
      return isWrong(json);
    },
  };
}

const missing = (name: string): Effect => inTokenResponse((members) => !(name in members));

/** A modulus that no test key has. */
async function moduli(provider: Parameters<Effect['seen']>[0]): Promise<string[]> {
  return (await jwks(provider)).keys.map(({ n }) => n);
}

export const DOCUMENT_EFFECTS: Partial<Record<FaultName, Effect>> = {
  missingAccessToken: missing('access_token'),
  unsafeAccessToken: inTokenResponse(({ access_token }) => String(access_token).includes('\r\n')),
  missingTokenType: missing('token_type'),
  wrongTokenType: inTokenResponse(({ token_type }) => token_type === 'mac'),
  missingIDToken: missing('id_token'),
  missingRefreshToken: missing('refresh_token'),
  missingExpiresIn: missing('expires_in'),
  wrongExpiresIn: inTokenResponse(({ expires_in }) => typeof expires_in === 'string'),
  wrongScope: inTokenResponse(({ scope }) => scope === 'search'),
  discoveryWrongIssuer: inMetadata((metadata, issuer) => metadata.issuer !== issuer && 'issuer' in metadata),
  discoveryMissingIssuer: inMetadata((metadata) => !('issuer' in metadata)),
  discoveryMissingJWKSURI: inMetadata((metadata) => !('jwks_uri' in metadata)),
  wrongKeys: { seen: async (scene) => (await moduli(scene)).every((n) => n.slice(100, 108) === 'AAAAAAAA') },
  emptyKeys: { seen: async (scene) => (await jwks(scene)).keys.length === 0 },
  unsupportedKeys: {
    async seen(scene) {
      const kinds = (await jwks(scene)).keys.map(({ kty }) => kty);
      expect(kinds.at(-1)).toBe('RSA');
      return kinds[0] === 'oct' && kinds.length === 5;
    },
  },
  keysWithoutKid: { seen: async (scene) => (await jwks(scene)).keys.every((key) => !('kid' in key)) },
  userinfoWrongSubject: inUserinfo(({ sub }) => String(sub).startsWith('00000000-')),
  userinfoMissingSubject: inUserinfo(({ sub }) => sub === undefined),
  profileWrongID: {
    async seen(scene) {
      const { access_token } = await login(scene);
      const { json } = await api(scene.provider, '/api/v1/users/current', access_token);
      return json.id !== scene.provider.clinicians.get('verified').id;
    },
  },
  profileMissingID: inProfile((members) => !('id' in members)),
  profileMalformed: inProfile(({ verified, id }) => verified === 'true' && typeof id === 'string'),
};
