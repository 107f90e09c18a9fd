import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { PendingWork } from '../../lib/async/work.js';
import type { TokenSet } from '../../lib/authorization-server/token-set.js';
import { ProtocolError } from '../../lib/errors/errors.js';
import { Events } from '../../lib/events/events.js';
import type { ClinicianEvent } from '../../lib/index.js';
import type { ClinicianProfile } from '../../lib/resource-api/profile.js';
import { RequestLimits } from '../../lib/resource-api/request-limits.js';
import type { Secret } from '../../lib/sealing/sealer.js';
import { Revocations } from '../../lib/session/revocations.js';
import { SignOut } from '../../lib/session/sign-out.js';
import type { SiteSession } from '../../lib/session/site-session.js';
import { Tokens, type TokensOptions } from '../../lib/session/tokens.js';
import type { Visit } from '../../lib/session/visit.js';
import type { VaultGrant } from '../../lib/token-vault/grant-records.js';
import type { TokenStore } from '../../lib/token-vault/token-store.js';
import { loginOf, nextTurn, vaultUnderTest, vaultWith } from '../token-vault/vault-under-test.js';

/** A server whose refreshes fail. */
const unusedServer = {
  prepareRefresh: async () => undefined,
  refresh: () => Promise.reject(new Error('not used')),
  refreshTimeoutMs: 20_000,
  revokeRefusedWith: () => undefined,
};

const accessTokenOf = ({ tokens }: VaultGrant) => tokens.accessToken.reveal();

interface ManagerOptions extends Partial<Pick<TokensOptions, 'fetch'>> {
  store?: TokenStore;
  server?: ServiceUnderTest;
  instance?: string;
  apiURL?: string;
}

type ServiceUnderTest = Omit<typeof unusedServer, 'refresh'> & {
  refresh: (tokens: TokenSet) => Promise<TokenSet>;
  revoke: (token: Secret) => Promise<void>;
};

function managerUnderTest(options: ManagerOptions = {}) {
  const { store, clock, server } = vaultUnderTest();
  const events: ClinicianEvent[] = [];
  const revoked: string[] = [];
  const site = new Events({ clock, flow: 'openid', onEvent: (event) => events.push(event) });
  const work = new PendingWork();
  const service = options.server ?? { ...unusedServer, revoke: async (token) => void revoked.push(token.reveal()) };
  const { store: tokenStore = store, instance = 'instance', apiURL } = options;
  const { fetch = () => Promise.reject(new Error('not used')) } = options;
  const revocations = new Revocations({ server: service, events: site, work });
  const { refresh } = service;
  const revoke = (tokens: TokenSet) => revocations.revoke(tokens);
  const vault = vaultWith({ store: tokenStore, instance, clock, refresh, revoke, events: site, work });
  const limits = new RequestLimits({ clock });
  const { inMemory } = tokenStore;
  const manager = new Tokens({
    ...{ site: { clock, apiURL }, records: vault.records, vault, inMemory, revocations, fetch, limits, events: site },
  });
  const destroyed: string[] = [];
  const session = {
    destroy: async (id: string) => void destroyed.push(id),
    end: async () => void destroyed.push('own session'),
  } as unknown as SiteSession;
  const signOut = new SignOut({ session, tokens: manager, events: site, work });
  const ended: string[] = [];
  const end = manager.end.bind(manager);
  manager.end = (grantID) => {
    ended.push(grantID);
    end(grantID);
  };
  const tokens = () => server.issue();
  const signIn = async (userID = 'me') => {
    const { id } = await manager.add(loginOf(userID), tokens());
    await signOut.limit(userID);
    return id;
  };
  /** @returns the numbers of logins that the event `forgotten` has reported. */
  const forgotten = () => events.filter(({ name }) => name === 'forgotten').map(({ logins }) => logins);
  const namesOf = () => events.map(({ name }) => name);
  return {
    ...{ manager, vault, signOut, destroyed, store, clock, server, work },
    ...{ revoked, ended, tokens, signIn, forgotten, namesOf },
  };
}

describe('forget', () => {
  test.each<[string, () => Promise<void>]>([
    ['fails', () => Promise.reject(new Error('down'))],
    ['never settles', () => new Promise(() => undefined)],
  ])('erases the tokens when the revocation %s', async (_, revoke) => {
    const { signOut, store, signIn, forgotten, namesOf } = managerUnderTest({ server: { ...unusedServer, revoke } });
    const grantID = await signIn();
    await signOut.forget('me');
    expect(namesOf()).toEqual(['forgotten']);
    expect(forgotten()).toEqual([1]);
    expect(await store.get(grantID)).toBeUndefined();
  });

  test('erases the tokens of a service without a revocation endpoint, without a warning', async () => {
    const revoke = () => Promise.reject(new ProtocolError('revocation_unsupported', 'no endpoint'));
    const { manager, store, signIn, namesOf } = managerUnderTest({ server: { ...unusedServer, revoke } });
    const grantID = await signIn();
    // A line that is printed fails the test.
    await manager.erase(grantID, 'me');
    expect(await store.get(grantID)).toBeUndefined();
    expect(namesOf()).toEqual([]);
  });

  test('fails with a retryable error while the store is down, leaves the session, and works afterwards', async () => {
    const { signOut, destroyed, store, signIn, forgotten } = managerUnderTest();
    await signIn();
    for (const down of [true, 'delete', 'grantsOf'] as const) {
      store.down = down;
      const failure = { code: 'token_store_unavailable', retryable: true };
      await expect(signOut.forget('me')).rejects.toMatchObject(failure);
    }
    const visit = { req: {}, readLogin: () => ({ grantID: 'grant', id: 'me' }) } as unknown as Visit;
    await expect(signOut.forgetUserOf(visit)).rejects.toMatchObject({ retryable: true });
    expect([forgotten(), destroyed]).toEqual([[], []]);
    store.down = false;
    await signOut.forget('me');
    expect(forgotten()).toEqual([1]);
  });

  test('revokes all tokens if the store fails to erase some, and erases the rest when it is repeated', async () => {
    const { store } = vaultUnderTest();
    let failing: string | undefined;
    const erase = async (grantID: string) => {
      if (grantID === failing) throw new Error('down');
      await store.delete(grantID);
    };
    const partlyDown = new Proxy(store, {
      get: (target, name) => (name === 'delete' ? erase : Reflect.get(target, name)),
    });
    const { signOut, revoked, signIn, forgotten } = managerUnderTest({ store: partlyDown });
    const [first, second] = [await signIn(), await signIn()];
    failing = second;
    await expect(signOut.forget('me')).rejects.toMatchObject({ code: 'token_store_unavailable' });
    expect(revoked.sort()).toEqual(['refresh-1', 'refresh-2']);
    expect(await store.get(first)).toBeUndefined();
    failing = undefined;
    await signOut.forget('me');
    expect(await store.get(second)).toBeUndefined();
    expect(forgotten()).toEqual([1]);
  });
});

test('the scope is that of the newest tokens', async () => {
  const under = vaultUnderTest();
  let release: (() => void) | undefined;
  const get: typeof under.store.get = async (grantID) => {
    const grant = await under.store.get(grantID);
    if (release) {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    }
    return grant;
  };
  const store = new Proxy(under.store, { get: (target, name) => (name === 'get' ? get : Reflect.get(target, name)) });
  const refresh = async (tokens: TokenSet) => ({ ...(await under.server.refresh(tokens)), scope: ['basic'] });
  const { manager } = managerUnderTest({ store, server: { ...unusedServer, refresh, revoke: async () => undefined } });
  const { id } = await manager.add(loginOf('me'), under.server.issue());
  expect(manager.known.get(id)?.scope).toEqual(['openid']);
  release = () => undefined;
  const read = manager.isStored(id, 'me');
  await nextTurn();
  const resume = release;
  release = undefined;
  await manager.grant(id).refresh();
  resume();
  expect([await read, manager.known.get(id)?.scope]).toEqual([true, ['basic']]);
});

test('the end of a user ends each login of this user, and of no other, and removes the id of the user', async () => {
  const { manager, signIn } = managerUnderTest();
  const [mine, other] = [await signIn(), await signIn('other')];
  manager.endUser('me');
  expect([manager.known.get(mine), manager.known.get(other)]).toMatchObject([{ hasEnded: true }, { userID: 'other' }]);
  expect(manager.known.get(mine)).toEqual({ hasEnded: true });
});

describe('refresh() without a refresh token', () => {
  async function signedIn() {
    const { manager, vault, store, clock, ended, server } = managerUnderTest();
    const { refreshToken: _, ...tokens } = server.issue();
    const { id: grantID } = await manager.add(loginOf('me'), tokens);
    return { store, clock, ended, grantID, tokens, grant: manager.grant(grantID), vault };
  }

  test('throws refresh_token_missing, and the login continues while its access token is valid', async () => {
    const { store, clock, ended, grantID, tokens, grant, vault } = await signedIn();
    clock.advance(tokens.expiresAt - clock.now() - 1);
    await expect(grant.refresh()).rejects.toMatchObject({ code: 'refresh_token_missing', remedy: 'sign_in' });
    expect(ended).toEqual([]);
    expect(await store.get(grantID)).toBeDefined();
    expect(accessTokenOf(await vault.fresh(grantID))).toBe(tokens.accessToken.reveal());
    expect(await grant.state()).toMatchObject({ refreshable: false });
  });

  test('ends the login when its access token has expired', async () => {
    const { store, clock, ended, grantID, tokens, grant } = await signedIn();
    clock.advance(tokens.expiresAt - clock.now());
    await expect(grant.refresh()).rejects.toMatchObject({ code: 'grant_ended' });
    expect(ended).toContain(grantID);
    expect(await store.get(grantID)).toBeUndefined();
  });
});

describe('a user with many logins', () => {
  // A process that is stopped reaches the time limit of a revocation before the turn in which the revocation ends.
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
  afterEach(() => void jest.useRealTimers());

  /** A manager whose revocations are pending until the next turn of the event loop. */
  function withRevocations(options: ManagerOptions = {}) {
    const state = { pending: 0, most: 0, revoked: [] as string[] };
    const revoke = async (token: Secret) => {
      state.pending += 1;
      state.most = Math.max(state.most, state.pending);
      await nextTurn();
      state.pending -= 1;
      state.revoked.push(token.reveal());
    };
    return { ...managerUnderTest({ server: { ...unusedServer, revoke }, ...options }), state };
  }

  test('is forgotten ten logins at a time, in separate turns of the event loop', async () => {
    const { manager, signOut, tokens, forgotten, state, store } = withRevocations();
    for (let login = 0; login < 1_500; login += 1) await manager.add(loginOf('me'), tokens());
    let turns = 0;
    let isForgotten = false;
    const count = async () => {
      for (; !isForgotten; turns += 1) await nextTurn();
    };
    const counted = count();
    await signOut.forget('me');
    isForgotten = true;
    await counted;
    expect(forgotten()).toEqual([1_500]);
    expect(state.most).toBe(10);
    expect(turns).toBeGreaterThanOrEqual(150);
    expect(await store.grantsOf('me')).toEqual([]);
  });

  test('loses the oldest login at the 51st: it is revoked, and its session is deleted', async () => {
    const { manager, signOut, destroyed, state, signIn, tokens, clock, ended, work } = withRevocations();
    const grants: VaultGrant[] = [];
    for (let count = 0; count < 50; count += 1) {
      clock.advance(1);
      const login = { grantID: `grant ${count}`, userKey: 'me', sessionID: `session ${count}` };
      grants.push(await manager.add(login, tokens()));
    }
    await signIn('other');
    expect(state.revoked).toEqual([]);
    await manager.add(loginOf('me'), tokens());
    void signOut.limit('me');
    // close() waits for it.
    await work.close(1_000);
    expect([state.revoked, ended, destroyed]).toEqual([['refresh-1'], [grants[0]?.id], ['session 0']]);
    expect(await manager.records.store.grantsOf('me')).toHaveLength(50);
    expect(await manager.records.store.grantsOf('other')).toHaveLength(1);
  });

  test('has logins of another instance in addition to the limit', async () => {
    const other = withRevocations({ instance: 'other' });
    for (let login = 0; login < 40; login += 1) await other.signIn();
    const { manager, signIn, namesOf, state } = withRevocations({ store: other.store });
    for (let login = 0; login < 51; login += 1) await signIn();
    expect([state.revoked, namesOf()]).toEqual([['refresh-1'], []]);
    expect(await manager.records.store.grantsOf('me')).toHaveLength(40 + 50);
  });

  test.each(['grantsOf', 'get', 'delete'] as const)(
    'signs in although the %s of the store fails, and the failure is reported',
    async (down) => {
      const { vault, store, signIn, namesOf } = withRevocations();
      for (let login = 0; login < 50; login += 1) await signIn();
      store.down = down;
      const grantID = await signIn();
      store.down = false;
      expect(namesOf()).toEqual(['erasure_failed']);
      expect(accessTokenOf(await vault.fresh(grantID))).toBe('access-51');
    },
  );
});

describe('two instances on one store, with the same secret', () => {
  test('do not use, end or erase the logins of each other', async () => {
    const requests: unknown[] = [];
    const one = managerUnderTest();
    const other = managerUnderTest({
      store: one.store,
      instance: 'other',
      apiURL: 'https://other.service.example',
      fetch: async (...request) => {
        requests.push(request);
        return Response.json({ id: 7 });
      },
    });
    const grantID = await one.signIn();

    const { api, state, refresh, revoke } = other.manager.grant(grantID);
    const unreadable = { code: 'grant_unreadable', remedy: 'sign_in' };
    await expect(api.profile()).rejects.toMatchObject(unreadable);
    await expect(refresh()).rejects.toMatchObject(unreadable);
    expect(await state()).toBeUndefined();
    await revoke();
    await other.signOut.forget('me');
    expect([requests, one.revoked, other.revoked, one.ended]).toEqual([[], [], [], []]);
    expect(accessTokenOf(await one.vault.fresh(grantID))).toBe('access-1');
    expect(other.forgotten()).toEqual([0]);

    // What is not revoked is reported.
    expect(other.namesOf()).toEqual(['login_ended', 'revocation_failed', 'revocation_failed', 'forgotten']);
    await one.signOut.forget('me');
    expect(one.revoked).toEqual(['refresh-1']);
    expect(await one.store.grantsOf('me')).toEqual([]);
  });
});

describe('the resource API of a grant', () => {
  const PROFILE = { id: 7, firstname: 'Alice' };

  function apiUnderTest(headers: Record<string, string> = {}) {
    let requests = 0;
    const under = managerUnderTest({
      apiURL: 'https://api.service.example',
      fetch: async () => {
        requests += 1;
        return Response.json(PROFILE, { headers });
      },
    });
    const { store, clock, server, manager } = under;
    const add = async (more: Partial<TokenSet>) =>
      (await manager.records.add(loginOf('me'), { ...server.issue(), scope: ['basic'], ...more })).id;
    return { ...under, store, clock, add, requests: () => requests };
  }

  test('sends one request for concurrent reads of the profile, each of which gets its own object', async () => {
    const { manager, add, requests } = apiUnderTest();
    const grantID = await add({ subject: 'a' });
    const profiles = await Promise.all(Array.from({ length: 50 }, () => manager.grant(grantID).api.profile()));
    expect(requests()).toBe(1);
    expect(new Set(profiles).size).toBe(50);
    (profiles[0] as ClinicianProfile).raw.firstname = 'changed by a caller';
    expect(profiles[1]?.raw).toEqual(PROFILE);
    await manager.grant(grantID).api.profile();
    expect(requests()).toBe(2);
  });

  test.each<[string, Partial<TokenSet>, Partial<TokenSet>]>([
    ['the subject of the ID Token', { subject: 'a' }, { subject: 'b' }],
    ['the id of the profile', { profileID: '7' }, { profileID: '8' }],
  ])('shares the rate limit of the user, by %s, with the other grants', async (_, user, other) => {
    const reset = String(managerUnderTest().clock.now() / 1000 + 1800);
    const usedUp = { 'x-rate-limit-limit': '5000', 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': reset };
    const { manager, add, requests } = apiUnderTest(usedUp);
    const [first, second, another] = [await add(user), await add(user), await add(other)];
    const read = (grantID: string) => manager.grant(grantID).api.profile();
    await read(first);
    for (const grantID of [first, second]) {
      await expect(read(grantID)).rejects.toMatchObject({ code: 'rate_limited' });
    }
    expect(requests()).toBe(1);
    await read(another).catch(() => undefined);
    expect(requests()).toBe(2);
  });

  test('refuses the profile of another user than before', async () => {
    let id = 7;
    const { manager, server } = managerUnderTest({
      apiURL: 'https://api.service.example',
      fetch: async () => Response.json({ id }),
    });
    const tokens = { ...server.issue(), scope: ['basic'], subject: 'a' };
    const { api } = manager.grant((await manager.records.add(loginOf('me'), tokens)).id);
    expect(await api.profile()).toMatchObject({ id: '7' });
    id = 8;
    await expect(api.profile()).rejects.toMatchObject({ code: 'profile_subject_mismatch' });
  });

  test('refuses the profile of another user than at the sign-in', async () => {
    const { manager, add } = apiUnderTest();
    const grantID = await add({ subject: 'a', profileID: '8' });
    await expect(manager.grant(grantID).api.profile()).rejects.toMatchObject({ code: 'profile_subject_mismatch' });
  });
});
