import { expect } from '@jest/globals';
import type { FaultName } from '../../../lib/mock-provider/mock-provider.js';
import { api } from '../wire.js';
import { type Effect, fetchDocument, fetchJWKS, login, type Parties, redeemCode } from './effect.js';

type Members = Record<string, unknown>;

function inMetadata(isWrong: (metadata: Members, issuer: string) => boolean): Effect {
  return {
    async isFaulty(parties) {
      const { status, json } = await fetchDocument(parties, '/.well-known/openid-configuration');
      expect([status, json.token_endpoint]).toEqual([200, `${parties.provider.issuer}/oauth/token`]);
      return isWrong(json, parties.provider.issuer);
    },
  };
}

function inJSON(path: string, isWrong: (members: Members) => boolean): Effect {
  return {
    async isFaulty(parties) {
      const { access_token } = await login(parties);
      const { status, json } = await api(parties.provider, path, access_token);
      expect(status).toBe(200);
      return isWrong(json);
    },
  };
}

const inUserinfo = (isWrong: (members: Members) => boolean) => inJSON('/oauth/userinfo', isWrong);
const inProfile = (isWrong: (members: Members) => boolean) => inJSON('/api/v1/users/current', isWrong);

function inTokenResponse(isWrong: (members: Members) => boolean): Effect {
  return {
    async isFaulty(parties) {
      const { status, json } = await redeemCode(parties);
      expect(status).toBe(200);
      return isWrong(json);
    },
  };
}

const missing = (name: string): Effect => inTokenResponse((members) => !(name in members));

async function moduli(parties: Parties): Promise<string[]> {
  return (await fetchJWKS(parties)).keys.map(({ n }) => n);
}

export const CONTENT_EFFECTS: Partial<Record<FaultName, Effect>> = {
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
  wrongKeys: { isFaulty: async (parties) => (await moduli(parties)).every((n) => n.slice(100, 108) === 'AAAAAAAA') },
  emptyKeys: { isFaulty: async (parties) => (await fetchJWKS(parties)).keys.length === 0 },
  unsupportedKeys: {
    async isFaulty(parties) {
      const types = (await fetchJWKS(parties)).keys.map(({ kty }) => kty);
      expect(types.at(-1)).toBe('RSA');
      return types[0] === 'oct' && types.length === 5;
    },
  },
  keysWithoutKid: { isFaulty: async (parties) => (await fetchJWKS(parties)).keys.every((key) => !('kid' in key)) },
  userinfoWrongSubject: inUserinfo(({ sub }) => String(sub).startsWith('00000000-')),
  userinfoMissingSubject: inUserinfo(({ sub }) => sub === undefined),
  profileWrongID: {
    async isFaulty(parties) {
      const { access_token } = await login(parties);
      const { json } = await api(parties.provider, '/api/v1/users/current', access_token);
      return json.id !== parties.provider.clinicians.get('verified').id;
    },
  },
  profileMissingID: inProfile((members) => !('id' in members)),
  profileMalformed: inProfile(({ verified, id }) => verified === 'true' && typeof id === 'string'),
};
