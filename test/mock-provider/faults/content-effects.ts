import { expect } from '@jest/globals';
import type { FaultName } from '../../../lib/mock-provider/mock-provider.js';
import { api } from '../wire.js';
import { type Effect, fetchDocument, fetchJWKS, login, type Parties, redeemCode } from './effect.js';

async function moduli(parties: Parties): Promise<string[]> {
  return (await fetchJWKS(parties)).keys.map(({ n }) => n);
}

async function resource(parties: Parties, path: string) {
  const { access_token } = await login(parties);
  const { status, json } = await api(parties.provider, path, access_token);
  expect(status).toBe(200);
  return json;
}

const PROFILE = '/api/v1/users/current';
const METADATA = '/.well-known/openid-configuration';

export const CONTENT_EFFECTS: Partial<Record<FaultName, Effect>> = {
  wrongExpiresIn: { isFaulty: async (parties) => (await redeemCode(parties)).json.expires_in === 'soon' },
  missingRefreshToken: { isFaulty: async (parties) => !('refresh_token' in (await redeemCode(parties)).json) },
  discoveryWrongIssuer: {
    isFaulty: async (parties) => (await fetchDocument(parties, METADATA)).json.issuer !== parties.provider.issuer,
  },
  wrongKeys: { isFaulty: async (parties) => (await moduli(parties)).every((n) => n.slice(100, 108) === 'AAAAAAAA') },
  unsupportedKeys: {
    async isFaulty(parties) {
      const types = (await fetchJWKS(parties)).keys.map(({ kty }) => kty);
      expect(types.at(-1)).toBe('RSA');
      return types[0] === 'oct' && types.length === 5;
    },
  },
  userinfoWrongSubject: {
    async isFaulty(parties) {
      const { sub } = parties.provider.clinicians.get('verified');
      return (await resource(parties, '/oauth/userinfo')).sub !== sub;
    },
  },
  profileWrongID: {
    async isFaulty(parties) {
      return (await resource(parties, PROFILE)).id !== parties.provider.clinicians.get('verified').id;
    },
  },
  profileMalformed: { isFaulty: async (parties) => (await resource(parties, PROFILE)).verified === 'true' },
};
