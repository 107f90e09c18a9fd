import type { MockRequest } from '../http/request.js';
import { cookie, cookieOf } from '../http/session-cookies.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Account } from '../state/account.js';
import type { Session } from '../state/sessions.js';

export const WRONG_PASSWORD = 'The user name or the password is not right.';

/** @returns whose user name and password are in the form. */
export function accountOfForm(instance: ProviderInstance, http: MockRequest): Account | undefined {
  const account = instance.accounts.byUsername(http.form.get('username')?.trim() ?? '');
  return account?.hasPassword(http.form.get('password') ?? '') ? account : undefined;
}

/** A new session, never one that the browser brought along; whoever was signed in before is signed out (decision 69). */
export function startSession(
  instance: ProviderInstance,
  http: MockRequest,
  account: Account,
): { id: string; session: Session; cookies: string[] } {
  instance.sessions.end(cookieOf(instance, http, 'session'));
  const { id, session } = instance.sessions.start(account);
  const cookies = [cookie(instance, 'session', id), cookie(instance, 'browserState', session.browserState)];
  return { id, session, cookies };
}
