import { expect } from '@jest/globals';
import type { FaultName } from '../../../lib/mock-provider/mock-provider.js';
import { api } from '../wire.js';
import { type Effect, fetchJWKS, login, type Parties } from './effect.js';

async function moduli(parties: Parties): Promise<string[]> {
  return (await fetchJWKS(parties)).keys.map(({ n }) => n);
}

export const CONTENT_EFFECTS: Partial<Record<FaultName, Effect>> = {
  wrongKeys: { isFaulty: async (parties) => (await moduli(parties)).every((n) => n.slice(100, 108) === 'AAAAAAAA') },
  unsupportedKeys: {
    async isFaulty(parties) {
      const types = (await fetchJWKS(parties)).keys.map(({ kty }) => kty);
      expect(types.at(-1)).toBe('RSA');
      return types[0] === 'oct' && types.length === 5;
    },
  },
  profileWrongID: {
    async isFaulty(parties) {
      const { access_token } = await login(parties);
      const { json } = await api(parties.provider, '/api/v1/users/current', access_token);
      return json.id !== parties.provider.clinicians.get('verified').id;
    },
  },
};
