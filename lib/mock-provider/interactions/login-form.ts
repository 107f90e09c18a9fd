import type { MockRequest } from '../http/request.js';
import { PERSONA_DESCRIPTIONS } from '../options/personas.js';
import type { Account } from '../state/account.js';
import type { AccountStore } from '../state/accounts.js';

/** Limits the number of buttons. */
const MAX_BUTTONS = 12;

/** The login form: a user name and a password, and a button for each user who signs in with one click. */
export class LoginForm {
  readonly #accounts: AccountStore;
  readonly #mayInspect: (http: MockRequest) => boolean;

  /** @param mayInspect returns true for a request from a browser that may open the inspector */
  constructor(accounts: AccountStore, mayInspect: (http: MockRequest) => boolean) {
    this.#accounts = accounts;
    this.#mayInspect = mayInspect;
  }

  /** @returns the users with a button: those of the configuration before the test users. */
  usersFor(http: MockRequest): readonly Account[] {
    const [configured, testUsers]: [Account[], Account[]] = [[], []];
    const mayInspect = this.#mayInspect(http);
    for (const account of this.#accounts.all()) {
      if (!allowsOneClick(account, mayInspect)) continue;
      (Object.hasOwn(PERSONA_DESCRIPTIONS, account.username) ? testUsers : configured).push(account);
      if (configured.length >= MAX_BUTTONS) break;
    }
    return [...configured, ...testUsers].slice(0, MAX_BUTTONS);
  }

  /** @returns the account of a sent form: of its button, or of its username and password. */
  accountOf(http: MockRequest): Account | undefined {
    const button = http.form.get('as');
    const account = this.#accounts.byUsername(button ?? http.form.get('username')?.trim() ?? '');
    if (account === undefined) return undefined;
    const isAllowed =
      button === undefined
        ? account.hasPassword(http.form.get('password') ?? '')
        : allowsOneClick(account, this.#mayInspect(http));
    return isAllowed ? account : undefined;
  }
}

/**
 * @returns true if a user may sign in without a password: if the password is published, or at a browser that may open the
 * inspector, which can change every password.
 */
function allowsOneClick(account: Account, mayInspect: boolean): boolean {
  return account.hasTestPassword || mayInspect;
}
