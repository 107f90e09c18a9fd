import type { SignInEnd, Visit } from '../session/visit.js';
import type { Attempt } from '../sign-in/attempts.js';
import type { SignInMode } from '../sign-in/login-request.js';
import type { SignIn } from '../sign-in/sign-in.js';
import type { SitePaths } from './paths.js';
import { redirect } from './responses.js';

/** How the logins of a mode start and end, where that differs from a sign-in in the window of the site. @internal */
export interface LoginMode {
  /** @returns the path to return to from a login that a request starts */
  returnTo?(visit: Visit, returnTo: string): string;
  /** Finishes an attempt, whose response the request has. */
  finish?(visit: Visit, attempt: Attempt): Promise<void>;
  /** Shows that the user is signed in. */
  show?(visit: Visit, returnTo: string): void;
}

/** How the logins of the routes start and end. @internal */
export class LoginModes {
  readonly #paths: SitePaths;
  readonly #signIn: Pick<SignIn, 'finish'>;
  readonly #modes: Readonly<Partial<Record<SignInMode, LoginMode>>>;

  constructor(paths: SitePaths, signIn: Pick<SignIn, 'finish'>, modes: Readonly<Record<SignInMode, LoginMode>>) {
    this.#paths = paths;
    this.#signIn = signIn;
    this.#modes = modes;
  }

  returnTo(visit: Visit, { mode, returnTo }: SignInEnd): string {
    return this.#modes[mode]?.returnTo?.(visit, returnTo) ?? returnTo;
  }

  async finish(visit: Visit, attempt: Attempt): Promise<void> {
    const mode = this.#modes[attempt.appState.mode];
    await (mode?.finish ? mode.finish(visit, attempt) : this.#signIn.finish(visit, attempt));
  }

  /** Shows the result of a login that has not failed: leads the browser back to the page that it was started for. */
  show(visit: Visit, { mode, returnTo }: SignInEnd): void {
    const path = this.#paths.inBrowser(visit, returnTo);
    const shown = this.#modes[mode];
    if (shown?.show) shown.show(visit, path);
    else redirect(visit, path);
  }

  /** @returns the option of a login that is shown as this mode, as the end of a query. */
  queryOf(mode: SignInMode): string {
    return this.#modes[mode]?.show ? `&display=${mode}` : '';
  }
}
