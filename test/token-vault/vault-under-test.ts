import { type Clock, systemClock } from '../../lib/async/clock.js';
import { PendingWork } from '../../lib/async/work.js';

import type { AuthorizationServer } from '../../lib/authorization-server/authorization-server.js';
import type { TokenSet } from '../../lib/authorization-server/token-set.js';
import type { Events } from '../../lib/events/events.js';
import { randomText, Sealer, Secret } from '../../lib/sealing/sealer.js';
import { GrantRecords, type NewGrant, type VaultGrant } from '../../lib/token-vault/grant-records.js';

import { MemoryTokenStore } from '../../lib/token-vault/memory-token-store.js';
import { type TokenStore, wrapStoreErrors } from '../../lib/token-vault/token-store.js';
import { type Pause, TokenVault } from '../../lib/token-vault/token-vault.js';
import { type MovableClock, movableClock } from './movable-clock.js';
import { type RotatingServer, rotatingServer } from './rotating-server.js';

export const SECRET: Secret = new Secret('a secret of more than thirty-two bytes');

export interface VaultOptions {
  store?: TokenStore;
  sealer?: Sealer;
  instance?: string;
  clock?: Clock;
  prepare?: AuthorizationServer['prepareRefresh'];
  refresh?: (tokens: TokenSet) => Promise<TokenSet>;
  refreshTimeoutMs?: number;
  revoke?: (tokens: TokenSet) => Promise<void>;
  events?: Pick<Events, 'emit'>;
  work?: PendingWork;
  pause?: Pause | undefined;
}

export interface VaultUnderTest {
  vault: VaultOfTokens;
  store: BreakableStore;
  clock: MovableClock;
  server: RotatingServer;
  /** @returns the vault of another process, on the same store and server. */
  otherProcess(options?: VaultOptions): VaultOfTokens;
}

/** @returns a new login of a user, without a session */
export function loginOf(userKey: string): NewGrant {
  return { grantID: randomText(24), userKey };
}

/** A vault whose access tokens are compared. */
export class VaultOfTokens extends TokenVault {
  readonly records: GrantRecords;

  constructor(options: ConstructorParameters<typeof TokenVault>[0]) {
    super(options);
    this.records = options.records;
  }

  add(login: NewGrant | string, tokens: TokenSet): Promise<VaultGrant> {
    return this.records.add(typeof login === 'string' ? loginOf(login) : login, tokens);
  }

  find(grantID: string): Promise<VaultGrant | undefined> {
    return this.records.find(grantID);
  }

  async accessToken(grantID: string, { refusedToken }: { refusedToken?: string | undefined } = {}): Promise<string> {
    return (await this.fresh(grantID, refusedToken)).tokens.accessToken.reveal();
  }
}

/** The lifetime of a lock, from the longest time of a refresh here. */
export const LOCK_TTL_MS = 30_000;

/** @returns a vault on a memory store, with a rotating server. Its pauses end in the order of their times, and advance the clock. */
export function vaultUnderTest(options: VaultOptions = {}): VaultUnderTest {
  const clock = movableClock();
  const server = rotatingServer(clock);
  const store = breakable(new MemoryTokenStore({ clock }));
  const pause = pauses(clock);
  const otherProcess: VaultUnderTest['otherProcess'] = (more = {}) =>
    vaultWith({ clock, refresh: server.refresh, store, pause, ...options, ...more });
  return { vault: otherProcess(), store, clock, server, otherProcess };
}

/** The lifetime of an access token. */
export const LIFETIME_MS = 1_800_000;

export interface GrantUnderTest extends VaultUnderTest {
  added: VaultGrant;
  grantID: string;
  /** @returns the time since the test has started, by the clock */
  elapsedMs(): number;
}

/** A vault with a grant whose access token is `access-1`, at a time in its lifetime. */
export async function grantAt(ms: number, options: VaultOptions = {}): Promise<GrantUnderTest> {
  const under = vaultUnderTest(options);
  const added = await under.vault.add('user', under.server.issue(LIFETIME_MS));
  under.clock.advance(ms);
  const startedAt = under.clock.now();
  return { ...under, added, grantID: added.id, elapsedMs: () => under.clock.now() - startedAt };
}

/** @returns a vault as the wiring of the package creates it. */
export function vaultWith(options: VaultOptions): VaultOfTokens {
  const { clock = systemClock, instance = 'instance', work = new PendingWork(), pause } = options;
  const { prepare = async () => undefined, refreshTimeoutMs = LOCK_TTL_MS - 6_000 } = options;
  const { sealer = new Sealer([SECRET], 'tokens'), events = { emit: () => undefined } } = options;
  const refresh = options.refresh as AuthorizationServer['refresh'];
  const store = wrapStoreErrors(options.store as TokenStore);
  const records = new GrantRecords({ store, sealer, instance, clock, work });
  const server = { prepareRefresh: prepare, refresh, refreshTimeoutMs };
  const revocations = { revoke: options.revoke ?? (async () => undefined) };
  return new VaultOfTokens({ clock, records, server, revocations, events, work, pause });
}

/** @returns a pause that ends, at a later turn of the event loop, when no other pause of these vaults ends earlier. */
function pauses(clock: MovableClock): Pause {
  const pending = new Set<{ endsAt: number; end: () => void }>();

  async function endNext(): Promise<void> {
    await nextTurn();
    const next = [...pending].sort((a, b) => a.endsAt - b.endsAt)[0];
    if (next === undefined) return;
    pending.delete(next);
    clock.advance(Math.max(0, next.endsAt - clock.now()));
    next.end();
  }

  return async (ms, _value, { signal } = {}) => {
    const ended = new Promise<void>((end, reject) => {
      const one = { endsAt: clock.now() + ms, end };
      pending.add(one);
      signal?.addEventListener('abort', () => void (pending.delete(one) && reject(signal.reason)), { once: true });
    });
    void endNext();
    await ended;
  };
}

/** Waits until pending promises and immediates have run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A store whose methods fail while `down` is true, or one of them while `down` is its name. */
export type BreakableStore = TokenStore & { down: boolean | keyof TokenStore };

function breakable(store: TokenStore): BreakableStore {
  const broken: { down: BreakableStore['down'] } = { down: false };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'down') return broken.down;
      if (!(name in target)) return undefined;
      return async (...args: unknown[]) => {
        if (broken.down === true || broken.down === name) throw new Error('ECONNREFUSED');
        return (target[name as keyof TokenStore] as (...args: unknown[]) => unknown)(...args);
      };
    },
    set(_target, _name, down) {
      broken.down = down;
      return true;
    },
  }) as never;
}
