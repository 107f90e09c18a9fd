import { hash } from 'node:crypto';
import { CLINICIAN_OPTIONS } from '../options/clinician-options.js';
import { closestName, refuseUnknownNames, requireText } from '../options/option-check.js';
import { Account, type AccountOptions } from './account.js';
import type { Clinician, ClinicianOptions, Clinicians } from './clinician.js';
import type { MockClock } from './clock.js';

/** Above 32 bits, so that a client that narrows ids fails in its tests (decision 89b). */
const FIRST_ID = 31_415_926_500;

export class AccountStore implements Clinicians {
  readonly #clock: MockClock;
  readonly #added: AccountOptions[] = [];
  readonly #byUsername = new Map<string, Account>();
  readonly #bySub = new Map<string, Account>();
  #nextID = FIRST_ID;

  constructor(clock: MockClock) {
    this.#clock = clock;
  }

  add(options: ClinicianOptions): Clinician {
    const account = this.#open(options);
    this.#added.push({ ...options, id: account.id, sub: account.sub });
    return account.toClinician();
  }

  /** Opens an account that `reset()` removes: somebody registered on the provider's own page. */
  register(options: ClinicianOptions): Account {
    return this.#open(options);
  }

  get(username: string): Clinician {
    return this.#known(username).toClinician();
  }

  update(username: string, changes: Partial<ClinicianOptions>): Clinician {
    refuseUnknownNames(changes, CLINICIAN_OPTIONS, 'clinicians.update()');
    const account = this.#known(username);
    account.change(changes);
    return account.toClinician();
  }

  names(): string[] {
    return [...this.#byUsername.keys()];
  }

  /** Not more than so many of the names, the first ones: for a page, however many there are. */
  firstNames(most: number): string[] {
    const names: string[] = [];
    for (const name of this.#byUsername.keys()) {
      if (names.length >= most) break;
      names.push(name);
    }
    return names;
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
    for (const options of this.#added) this.#keep(new Account(options, this.#clock));
  }

  #open(options: ClinicianOptions): Account {
    refuseUnknownNames(options, CLINICIAN_OPTIONS, 'A clinician');
    requireText(options.username, "A clinician's username");
    const { username } = options;
    if (this.#byUsername.has(username)) {
      throw new TypeError(
        `There is a clinician ${JSON.stringify(username)} already: choose another username, or update() that one.`,
      );
    }
    if (options.verified !== undefined && options.verifiedAfter !== undefined) {
      throw new TypeError('A clinician is verified now or after a while: give verified or verifiedAfter, not both.');
    }
    if (options.id !== undefined && !Number.isSafeInteger(options.id)) {
      throw new TypeError(`A clinician's id must be an integer, not ${JSON.stringify(options.id)}.`);
    }
    const sub = options.sub ?? uuidFrom(username);
    if (this.#bySub.has(sub)) throw new TypeError(`There is a clinician with sub ${JSON.stringify(sub)} already.`);
    return this.#keep(new Account({ ...options, id: options.id ?? this.#nextID++, sub }, this.#clock));
  }

  #keep(account: Account): Account {
    this.#byUsername.set(account.username, account);
    this.#bySub.set(account.sub, account);
    return account;
  }

  #known(username: string): Account {
    const account = this.#byUsername.get(username);
    if (account !== undefined) return account;
    const meant = closestName(String(username), this.names());
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
    throw new TypeError(
      `There is no clinician ${JSON.stringify(username)}.${hint} There are: ${this.names().join(', ')}.`,
    );
  }
}

/** A UUID that is the same for a name in every run, so that a site's own records still fit after a restart. */
function uuidFrom(username: string): string {
  const hex = hash('sha256', `passport-clinician:${username}`, 'hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}
