import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import { DEFINITIONS } from '../../../lib/mock-provider/faults/catalogue.js';
import type { FaultKind, MembersChange } from '../../../lib/mock-provider/faults/fault.js';
import { FAULTS, type FaultName } from '../../../lib/mock-provider/mock-provider.js';
import { api, jwtPart } from '../wire.js';
import { type Effect, fetchDocument, login, type Parties, redeemCode } from './effect.js';
import { isSignatureValid } from './id-token-effects.js';
import { atCallback, atLogout } from './redirect-effects.js';

type Members = Readonly<Record<string, unknown>>;

async function claimsOf(parties: Parties): Promise<Members> {
  const { id_token } = await login(parties);
  expect(await isSignatureValid(parties, id_token)).toBe(true);
  return jwtPart(id_token, 'claims');
}

async function tokenMembers(parties: Parties): Promise<Members> {
  const { status, json } = await redeemCode(parties);
  expect(status).toBe(200);
  return json;
}

async function resource(parties: Parties, path: string): Promise<Members> {
  const { access_token } = await login(parties);
  const { status, json } = await api(parties.provider, path, access_token);
  expect(status).toBe(200);
  return json;
}

async function documentAt(parties: Parties, path: string): Promise<Members> {
  const { status, json } = await fetchDocument(parties, path);
  expect(status).toBe(200);
  if ('token_endpoint' in json) expect(json.token_endpoint).toBe(`${parties.provider.issuer}/oauth/token`);
  return json;
}

const inMembers = (read: (parties: Parties, path: string) => Promise<Members>) => {
  return (isWrong: (members: Members) => boolean, path: string): Effect => ({
    isFaulty: async (parties) => isWrong(await read(parties, path)),
  });
};

const parametersOf = (sent: URLSearchParams): Members => Object.fromEntries(sent);

/** The exchange that shows what a fault of each kind changes. */
const EXCHANGES: Partial<Record<FaultKind, (isWrong: (members: Members) => boolean, path: string) => Effect>> = {
  idToken: inMembers(claimsOf),
  tokenResponse: inMembers(tokenMembers),
  redirect: (isWrong) => atCallback((sent) => isWrong(parametersOf(sent))),
  logout: (isWrong) => atLogout((sent) => isWrong(parametersOf(sent))),
  document: inMembers(documentAt),
  userinfo: inMembers(resource),
  profile: inMembers(resource),
};

/** @returns the effect of a fault that only removes or sets members: undefined for any other. */
export function defaultEffect(name: FaultName): Effect | undefined {
  const { kind, remove, set, change } = DEFINITIONS[name] as MembersChange & { kind: FaultKind };
  const exchange = EXCHANGES[kind];
  if (exchange === undefined || change !== undefined || (remove === undefined && set === undefined)) return undefined;
  const isWrong = (members: Members) =>
    (remove === undefined || !(remove in members)) &&
    Object.entries(set ?? {}).every(([member, value]) => isDeepStrictEqual(members[member], value));
  const { endpoint, endpoints } = FAULTS[name];
  return exchange(isWrong, endpoint === '*' ? (endpoints[0] as string) : endpoint);
}
