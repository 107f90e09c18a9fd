import type { MockRequest } from '../http/request.js';
import { PERSONA_DESCRIPTIONS } from '../options/personas.js';
import type { UserChoice } from '../pages/login-page.js';
import type { Account } from '../state/account.js';
import type { AccountStore } from '../state/accounts.js';

/** The accounts, and who may open the inspector. */
export interface OneClickDependencies {
  readonly accounts: Pick<AccountStore, 'all' | 'byUsername'>;
  readonly mayInspect: (http: MockRequest) => boolean;
}

/** Limits the number of buttons. */
const MAX_BUTTONS = 12;

/**
 * @returns true if a user may sign in without a password: if the password is published, or at a browser that may open the
 * inspector, which can change every password.
 */
function allowsOneClick(account: Account, http: MockRequest, { mayInspect }: OneClickDependencies): boolean {
  return account.hasTestPassword || mayInspect(http);
}

/** @returns the users who sign in with one click: those of the configuration before the test users. */
export function userChoices(http: MockRequest, dependencies: OneClickDependencies): readonly UserChoice[] {
  const [configured, testUsers]: [Account[], Account[]] = [[], []];
  for (const account of dependencies.accounts.all()) {
    if (!allowsOneClick(account, http, dependencies)) continue;
    (Object.hasOwn(PERSONA_DESCRIPTIONS, account.username) ? testUsers : configured).push(account);
    if (configured.length >= MAX_BUTTONS) break;
  }
  return [...configured, ...testUsers].slice(0, MAX_BUTTONS);
}

/** @returns the account of a login form: of its button, or of its username and password. */
export function accountOfForm(http: MockRequest, dependencies: OneClickDependencies): Account | undefined {
  const { accounts } = dependencies;
  const button = http.form.get('as');
  if (button !== undefined) {
    const account = accounts.byUsername(button);
    return account && allowsOneClick(account, http, dependencies) ? account : undefined;
  }
  const account = accounts.byUsername(http.form.get('username')?.trim() ?? '');
  return account?.hasPassword(http.form.get('password') ?? '') ? account : undefined;
}
