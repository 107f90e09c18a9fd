import type { CallbackRoute, FinishByPassport } from '../express/callback-route.js';
import type { ErrorResponses } from '../express/error-responses.js';
import type { LoginRoute } from '../express/login-route.js';
import type { PassportCall } from '../session/site-session.js';
import type { Visit } from '../session/visit.js';
import type { Attempt } from '../sign-in/attempts.js';
import { type LoginOptions, modeOf } from '../sign-in/login-request.js';
import type { Acceptance, SignIn } from '../sign-in/sign-in.js';
import type { SignInPurpose } from '../sign-in/site-user.js';
import type { SiteDecision } from './accept-by-verify.js';
import { loginOptionsIn, type PassportRequest, purposeOf } from './authenticate-options.js';

/** Accepts users by `onSignIn`: the login that Passport establishes is one of `clinicianLogin()`. @internal */
export class ClinicianLogins {
  readonly #acceptance: Acceptance;
  readonly #signIn: SignIn;
  readonly #loginRoute: LoginRoute;
  readonly #callbackRoute: CallbackRoute;
  readonly #errorResponses: ErrorResponses;

  constructor(from: {
    acceptance: Acceptance;
    signIn: SignIn;
    loginRoute: LoginRoute;
    callbackRoute: CallbackRoute;
    errorResponses: ErrorResponses;
  }) {
    this.#acceptance = from.acceptance;
    this.#signIn = from.signIn;
    this.#loginRoute = from.loginRoute;
    this.#callbackRoute = from.callbackRoute;
    this.#errorResponses = from.errorResponses;
  }

  async accept({ visit }: PassportRequest, attempt: Attempt, purpose: SignInPurpose): Promise<SiteDecision> {
    const signIn = this.#signIn;
    const accepted = await this.#acceptance.accept(visit, attempt, purpose);
    const login = {
      establish: (logIn: PassportCall) => signIn.establish(visit, accepted, logIn),
      release: () => signIn.release(visit, accepted),
      discard: () => signIn.discard(accepted),
      endsWithRequest: true,
    };
    return { user: accepted.user, info: { grantID: accepted.grantID }, login };
  }

  /** Responds to a request at the callback: the logins of its routes end there, too. @returns false for any other request */
  finish({ visit }: PassportRequest, finish: FinishByPassport): boolean {
    if (!this.#callbackRoute.isCallback(visit)) return false;
    this.#respond(visit, this.#callbackRoute.handle(visit, finish));
    return true;
  }

  /** @returns the options of the login to start; undefined if this has responded. Throws if the user could not be signed in */
  start({ visit, options }: PassportRequest): LoginOptions | undefined {
    // Throws without a session: the callback could not sign the user in.
    if (options.session !== false) visit.readLogin();
    const lost = this.#errorResponses.lostSession(visit);
    if (lost) throw lost;
    if (this.#errorResponses.showUnread(visit)) return undefined;
    const link = this.#loginRoute.linkOptions(visit);
    const login = { ...link, ...loginOptionsIn(options) };
    const purpose = purposeOf(options);
    // A login in another mode ends in the drop-in.
    if (modeOf(link) !== 'page' && purpose !== 'link') {
      this.#respond(visit, this.#loginRoute.handle(visit, loginOptionsIn(options)));
      return undefined;
    }
    return purpose === 'session' && this.#loginRoute.keepUser(login, visit) ? undefined : login;
  }

  #respond(visit: Visit, handled: Promise<void>): void {
    handled.catch((error) => this.#errorResponses.fail(error, visit)).catch(visit.next);
  }
}
