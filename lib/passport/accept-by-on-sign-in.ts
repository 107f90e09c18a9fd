import type { CallbackRoute, FinishByPassport } from '../express/callback-route.js';
import type { ErrorResponses } from '../express/error-responses.js';
import type { LoginRoute } from '../express/login-route.js';
import type { PassportCall, SiteSession } from '../session/site-session.js';
import { type LoginOptions, modeOf } from '../sign-in/login-request.js';
import type { SignIn } from '../sign-in/sign-in.js';
import type { Acceptance, AcceptCall } from './accept-by-verify.js';
import { loginOptionsIn, type PassportRequest, purposeOf } from './authenticate-options.js';
import type { PassportStrategy } from './oauth2-strategy.js';

/** Accepts users by `onSignIn`: the login that Passport establishes is one of `clinicianLogin()`. @internal */
export class ClinicianLogins {
  readonly #signIn: SignIn;
  readonly #loginSession: SiteSession;
  readonly #loginRoute: LoginRoute;
  readonly #callbackRoute: CallbackRoute;
  readonly #errorResponses: ErrorResponses;

  constructor(
    signIn: SignIn,
    loginSession: SiteSession,
    loginRoute: LoginRoute,
    callbackRoute: CallbackRoute,
    errorResponses: ErrorResponses,
  ) {
    this.#signIn = signIn;
    this.#loginSession = loginSession;
    this.#loginRoute = loginRoute;
    this.#callbackRoute = callbackRoute;
    this.#errorResponses = errorResponses;
  }

  async accept({ req, res, response, attempt, purpose }: AcceptCall): Promise<Acceptance> {
    const signIn = this.#signIn;
    const accepted = await signIn.accept(req, response, attempt, purpose);
    const login = {
      establish: (logIn: PassportCall) => signIn.establish(req, res, accepted, logIn),
      release: () => signIn.release(res, accepted),
      discard: () => signIn.discard(accepted),
      endsWithRequest: true,
    };
    return { user: accepted.user, info: { grantID: accepted.grantID }, login };
  }

  /** Responds to a request at the callback: the logins of its routes end there, too. @returns false for any other request */
  finish({ req, res, strategy }: PassportRequest, finish: FinishByPassport): boolean {
    if (!this.#callbackRoute.isCallback(req)) return false;
    const next = nextOf(strategy);
    this.#callbackRoute.handle(req, res, next, finish).catch(next);
    return true;
  }

  /** @returns the options of the login to start; undefined if this has responded. Throws if the user could not be signed in */
  start({ req, res, options, strategy }: PassportRequest): LoginOptions | undefined {
    // Throws without a session: the callback could not sign the user in.
    if (options.session !== false) this.#loginSession.read(req);
    const loss = this.#loginSession.find(req) ? undefined : this.#loginSession.detectLoss(req, res);
    if (loss) throw loss;
    if (this.#errorResponses.showUnread(req, res)) return undefined;
    const link = this.#loginRoute.linkOptions(req);
    const login = { ...link, ...loginOptionsIn(options) };
    const purpose = purposeOf(options);
    // A popup and a silent login end on pages of the drop-in.
    if (modeOf(link) !== 'page' && purpose !== 'link') {
      const next = nextOf(strategy);
      this.#loginRoute.handle(req, res, next, loginOptionsIn(options)).catch(next);
      return undefined;
    }
    return purpose === 'session' && this.#loginRoute.keepUser(login, req, res) ? undefined : login;
  }
}

/** @returns `next` of a route of this package, in a strategy. */
function nextOf(strategy: PassportStrategy): (error?: unknown) => void {
  return (error) => (error ? strategy.error(error) : strategy.pass());
}
