import { hash } from 'node:crypto';
import { closestName } from '../../errors/closest-name.js';
import {
  type ClinicianChanges,
  type ClinicianOptions,
  clinicianChanges,
  clinicianOptions,
} from '../options/clinician-options.js';
import { quoted, validate } from '../options/validate.js';
import { Account, type AccountOptions } from './account.js';
import type { Clinician, Clinicians } from './clinician.js';
import type { MockClock } from './clock.js';

export class AccountStore implements Clinicians {
  readonly #clock: MockClock;
  readonly #added: AccountOptions[] = [];
  readonly #byUsername = new Map<string, Account>();
  readonly #bySub = new Map<string, Account>();
  readonly #ids = new Set<number>();

  constructor(clock: MockClock) {
    this.#clock = clock;
  }

  add(options: ClinicianOptions): Clinician {
    validate(clinicianOptions, options, 'A clinician');
    return this.addValid(options).toClinician();
  }

  /** Adds a clinician whose options are valid. Throws a TypeError for a username, sub or id that is in use. */
  addValid(options: ClinicianOptions): Account {
    const account = this.register(options);
    this.#added.push({ ...options, id: account.id, sub: account.sub });
    return account;
  }

  /** Adds the account of a user who registered on the provider's page. `reset()` removes it. */
  register(options: ClinicianOptions): Account {
    const { username, id = idFrom(username), sub = uuidFrom(username) } = options;
    if (this.#byUsername.has(username)) {
      const fix = 'Choose another username, or change that clinician.';
      throw new TypeError(`There is already a clinician ${quoted(username)}. ${fix}`);
    }
    if (options.verified !== undefined && options.verifiedAfter !== undefined) {
      throw new TypeError('A clinician has both verified and verifiedAfter. Remove one of them.');
    }
    const used = this.#bySub.has(sub) ? `sub ${quoted(sub)}` : this.#ids.has(id) ? `id ${id}` : undefined;
    if (used !== undefined) throw new TypeError(`There is already a clinician with ${used}. Choose another one.`);
    return this.#store(new Account({ ...options, id, sub }, this.#clock));
  }

  get(username: string): Clinician {
    return this.known(username).toClinician();
  }

  update(username: string, changes: ClinicianChanges): Clinician {
    validate(clinicianChanges, changes, 'clinicians.update()');
    const account = this.known(username);
    account.change(changes);
    return account.toClinician();
  }

  names(): string[] {
    return [...this.#byUsername.keys()];
  }

  all(): Iterable<Account> {
    return this.#byUsername.values();
  }

  /** Throws a TypeError that lists the usernames, if there is no such account. */
  known(username: string): Account {
    const account = this.#byUsername.get(username);
    if (account !== undefined) return account;
    const closest = closestName(String(username), this.names());
    const hint = closest === undefined ? '' : ` Did you mean ${closest}?`;
    throw new TypeError(
      `There is no clinician ${JSON.stringify(username)}.${hint} There are: ${this.names().join(', ')}.`,
    );
  }

  byUsername(username: string): Account | undefined {
    return this.#byUsername.get(username);
  }

  bySub(sub: string): Account | undefined {
    return this.#bySub.get(sub);
  }

  reset(): void {
    this.#byUsername.clear();
    this.#bySub.clear();
    this.#ids.clear();
    for (const options of this.#added) this.#store(new Account(options, this.#clock));
  }

  #store(account: Account): Account {
    this.#byUsername.set(account.username, account);
    this.#bySub.set(account.sub, account);
    this.#ids.add(account.id);
    return account;
  }
}

/*
 * The same values for a name in every run, and whichever other users there are: the subjects and ids that a site has stored are
 * valid after a restart.
 */
const digestOf = (username: string): string => hash('sha256', `passport-clinician:${username}`, 'hex');

/** @returns eleven digits: above 32 bits, so that a client that narrows ids fails in its tests. */
function idFrom(username: string): number {
  return 10_000_000_000 + (Number.parseInt(digestOf(username).slice(-12), 16) % 90_000_000_000);
}

function uuidFrom(username: string): string {
  const hex = digestOf(username);
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}
