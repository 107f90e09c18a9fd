import { digest, matchesDigest } from '../http/digest.js';
import { type ClinicianOptions, type ClinicianProfileFields, TEST_PASSWORD } from '../options/clinician-options.js';
import { milliseconds } from '../options/duration.js';
import type { Clinician } from './clinician.js';
import type { MockClock } from './clock.js';

/** The options of an account, with its id and sub. */
export type AccountOptions = ClinicianOptions & { id: number; sub: string };

/** The account of one clinician. */
export class Account {
  readonly id: number;
  readonly sub: string;
  readonly username: string;
  /** Increases with every change, so that a serialised profile can be cached. */
  version = 0;
  password = '';
  email: string | undefined;
  #clock: MockClock;
  #fields: ClinicianProfileFields = {};
  #verifiedAt = 0;

  constructor(options: AccountOptions, clock: MockClock) {
    this.id = options.id;
    this.sub = options.sub;
    this.username = options.username;
    this.#clock = clock;
    this.change({ password: TEST_PASSWORD, verified: true, ...options });
  }

  get fields(): Readonly<ClinicianProfileFields> {
    return this.#fields;
  }

  /** The name on the provider's pages: with the credentials, if there is one. */
  get displayName(): string {
    const { fullName, firstName, lastName, credentials } = this.#fields;
    const name = [firstName, lastName].filter(Boolean).join(' ');
    return fullName ?? ([name, name && credentials].filter(Boolean).join(', ') || this.username);
  }

  /** True for the password that this package publishes. */
  get hasTestPassword(): boolean {
    return this.password === TEST_PASSWORD;
  }

  /** True once verification has passed: at once, or after a queue of up to three days (service spec: profile). */
  get isVerified(): boolean {
    return this.#verifiedAt <= this.#clock.now();
  }

  hasPassword(password: string): boolean {
    return matchesDigest(password, digest(this.password));
  }

  change(changes: Partial<ClinicianOptions>): void {
    const { username: _, id: __, sub: ___, password, verified, verifiedAfter, email, ...fields } = changes;
    if (password !== undefined) this.password = password;
    if (verified !== undefined) this.#verifiedAt = verified ? 0 : Number.POSITIVE_INFINITY;
    if (verifiedAfter !== undefined) {
      this.#verifiedAt = this.#clock.now() + milliseconds(verifiedAfter, 'verifiedAfter');
    }
    if ('email' in changes) this.email = email;
    this.#fields = { ...this.#fields, ...fields };
    this.version += 1;
  }

  toClinician(): Clinician {
    return {
      ...this.#fields,
      username: this.username,
      password: this.password,
      id: this.id,
      sub: this.sub,
      verified: this.isVerified,
      ...(this.email !== undefined && { email: this.email }),
    };
  }
}
