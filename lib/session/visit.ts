import type { ServerResponse } from 'node:http';
import type { FlowName } from '../authorization-server/flows.js';
import { ConfigurationError } from '../errors/errors.js';
import type { Events } from '../events/events.js';
import type { Site } from '../options/site.js';
import { type ClinicianIdentity, type Logins, parseLogin, type SessionLogin, type Verification } from './logins.js';
import { passportUserOf, setUser } from './passport-user.js';
import { type Done, rememberSessionPath, type SessionRequest, sessionOf, targetOf } from './site-session.js';

/** `req.clinician` of a signed-in clinician. */
export interface AuthenticatedState {
  readonly isAuthenticated: true;
  readonly identity: ClinicianIdentity;
  /** The id of the login, for `clinician.grantOf()` outside of a request. Not enumerable, so that JSON for a browser lacks it. */
  readonly grantID: string;
  readonly flow: FlowName;
  /** The scope of the tokens as last read: a refresh may change it. */
  readonly scope: readonly string[];
  /** True only when the profile says exactly `true`, as last read: see `clinician.verification(req)`, which reads it when needed. */
  readonly verified: boolean;
  /** As last read. */
  readonly verification: Verification;
}

/** `req.clinician` of a request without a signed-in clinician. */
export interface UnauthenticatedState {
  readonly isAuthenticated: false;
  readonly identity: undefined;
  readonly grantID?: undefined;
  readonly flow: FlowName;
  /** Empty. */
  readonly scope: readonly string[];
  readonly verified: false;
  readonly verification: 'unknown';
}

/** `req.clinician`, which `clinicianLogin` sets on every request. Check `isAuthenticated` first. */
export type ClinicianRequestState = AuthenticatedState | UnauthenticatedState;

declare global {
  namespace Express {
    /** The user of the site. The declaration of `@types/passport` is the same, and a site adds members to both. */
    interface User {}
    interface Request {
      user?: User | undefined;
      /** The signed-in clinician. With several instances on a site: of the one that the user has signed in with. */
      clinician: ClinicianRequestState;
    }
  }
}

/** The maximum length of `returnTo`, which the cookie of a login attempt contains. */
export const MAX_RETURN_TO_LENGTH = 250;

/** How the sign-in ends that a request starts or finishes. @internal */
export interface SignInEnd {
  /** See `SignInMode`. */
  mode: string;
  /** The path to redirect to after the login. */
  returnTo: string;
}

interface StatefulRequest extends SessionRequest {
  clinician?: ClinicianRequestState;
}

type KnownLogins = Pick<Logins, 'hasEnded' | 'known' | 'lastVerification' | 'scopeOf'>;
type VisitSite = Pick<Site, 'origin' | 'issuer' | 'flow' | 'callbackURL'>;

export function siteUserOf({ user, id, userKey = id }: SessionLogin): object {
  return (user as object | undefined) ?? { id: userKey };
}

/** Finds the {@link Visit} of each request. One for each instance of the sign-in. @internal */
export class Visits {
  readonly site: VisitSite;
  /** See `instanceID()`. */
  readonly instance: string;
  readonly #logins: KnownLogins;
  readonly #events: Pick<Events, 'reportError'>;
  readonly #signedOut: UnauthenticatedState;
  /** The member of a request with the visit that the sign-in with this callback has received. Other copies of this package read it too. */
  readonly #member: symbol;

  /** The application of the last request that had a session. */
  #app: object | undefined;
  #isMissingReported = false;
  /** The number of requests whose handlers are running: up to their first `await`. */
  handling = 0;

  constructor(site: VisitSite, instance: string, logins: KnownLogins, events: Pick<Events, 'reportError'>) {
    this.site = site;
    this.instance = instance;
    this.#logins = logins;
    this.#events = events;
    this.#member = Symbol.for(`passport-clinician ${site.callbackURL}`);
    const scope: readonly string[] = Object.freeze([]);
    const signedOut = { isAuthenticated: false, identity: undefined, flow: site.flow, scope, verified: false } as const;
    this.#signedOut = Object.freeze({ ...signedOut, verification: 'unknown' });
  }

  /** Receives a request in the middleware. Throws {@link duplicateError}. */
  receive(req: SessionRequest, res: ServerResponse, next: Done): Visit {
    // Express calls the middleware again where the site uses it twice.
    if (Object(req)[this.#member] !== undefined) {
      const duplicate = this.duplicateError(req);
      if (duplicate) throw duplicate;
      return this.of(req, res, next);
    }
    if (req.session && req.app !== this.#app) {
      this.#app = req.app;
      rememberSessionPath(req);
    }
    const visit = new Visit(this, req, res, next);
    visit.isReceived = true;
    Object(req)[this.#member] = visit;
    return visit;
  }

  /**
   * @param next continues after the handler that calls this. The one that the request has reached last applies to the visit
   * @returns what the middleware has received; another object for a request that it has not received
   */
  of(req: SessionRequest, res: ServerResponse | undefined = req.res, next?: Done): Visit {
    const received: Visit | undefined = Object(req)[this.#member];
    if (received?.visits !== this) return new Visit(this, req, res as ServerResponse, next);
    if (next) received.next = next;
    return received;
  }

  /** @returns an error if the middleware of another sign-in with the same callback has received the request. */
  duplicateError(req: SessionRequest): ConfigurationError | undefined {
    const received: Visit | undefined = Object(req)[this.#member];
    if (received === undefined || received.visits === this) return undefined;
    return new ConfigurationError(
      'middleware_missing',
      'passport-clinician: this sign-in was created twice with the same callbackURL, and app.use() has the other one. Each has its own tokens: create it once, and import it.',
    );
  }

  /**
   * Reports, once, that the middleware has not received a request that leads to the sign-in: it may not receive the callback either.
   * The request continues: a site may do without the middleware, if Passport has the routes.
   */
  reportMissing({ isReceived, req }: Visit): void {
    if (this.#isMissingReported || isReceived) return;
    this.#isMissingReported = true;
    const error =
      this.duplicateError(req) ??
      new ConfigurationError(
        'middleware_missing',
        'passport-clinician: clinicianLogin() did not receive a request that needs a sign-in. Put app.use(clinician) without a path after session(), before your routes. If it is there, the sign-in was created twice: create it once, and import it.',
      );
    this.#events.reportError(error);
  }

  /** @returns true for a login that this process has recorded as ended. No I/O. */
  hasEnded(login: SessionLogin): boolean {
    return this.#logins.hasEnded(login);
  }

  /** @returns the state of a login, the same object in its requests. Its scope and verification are read when they are used. */
  stateOf(login: SessionLogin | undefined): ClinicianRequestState {
    if (!login) return this.#signedOut;
    const logins = this.#logins;
    const { issuer, flow } = this.site;
    const { grantID, scope, id, serviceID } = login;
    const known = logins.known.get(grantID);
    const shared = known?.state as AuthenticatedState | undefined;
    if (shared?.identity.id === id && shared.identity.serviceID === serviceID) return shared;
    // Not the login: the state must not keep the site's own user in memory.
    const read = { grantID, scope };
    const state = {
      isAuthenticated: true as const,
      identity: Object.freeze({ id, issuer, ...(serviceID !== undefined && { serviceID }) }),
      flow,
      get scope() {
        return logins.scopeOf(read);
      },
      get verified() {
        return logins.lastVerification(read) === 'verified';
      },
      get verification() {
        return logins.lastVerification(read);
      },
    };
    Object.defineProperty(state, 'grantID', { value: grantID });
    const frozen = Object.freeze(state as typeof state & { grantID: string });
    if (known && !known.hasEnded) known.state = frozen;
    return frozen;
  }
}

/** One request, and what the sign-in reads of it. @internal */
export class Visit {
  readonly visits: Visits;
  readonly req: SessionRequest;
  readonly res: ServerResponse;
  /** Continues after the handler of this package that the request has reached last. */
  next: Done;
  /** True if the middleware has received the request. */
  isReceived: boolean;
  /** Absent for a request that is not a sign-in: its failure is not one of a sign-in. */
  signIn: SignInEnd | undefined;
  readonly #hadSession: boolean;
  /** What the session contained when the login was read. */
  #stored: unknown;
  #login: SessionLogin | undefined;
  #state: ClinicianRequestState | undefined;
  #query: URLSearchParams | undefined;
  #target: string | undefined;

  constructor(visits: Visits, req: SessionRequest, res: ServerResponse, next: Done = () => undefined) {
    this.visits = visits;
    this.req = req;
    this.res = res;
    this.next = next;
    this.isReceived = false;
    this.#hadSession = req.session !== undefined;
  }

  /** The login of this instance in the session. Validated once: a site may replace the session. */
  get login(): SessionLogin | undefined {
    const stored = this.req.session?.clinician?.[this.visits.instance];
    if (stored !== this.#stored) {
      this.#stored = stored;
      this.#login = parseLogin(stored);
    }
    return this.#login;
  }

  /** The login, unless Passport has signed in another user, or none, since: `req.logIn` of the site changes only Passport's. */
  get currentLogin(): SessionLogin | undefined {
    const { login } = this;
    const passportUser = login?.passportUser;
    return passportUser === undefined || passportUser === passportUserOf(this.req) ? login : undefined;
  }

  /** @returns {@link currentLogin}. Throws when there is no session, and if the sign-in was created twice. */
  readLogin(): SessionLogin | undefined {
    // A session that is missing now is one that the site has destroyed.
    if (!this.isReceived || !this.#hadSession) {
      const duplicate = this.visits.duplicateError(this.req);
      if (duplicate) throw duplicate;
      // express-session gives no session to a request without a path, such as `OPTIONS *`.
      if (!this.req.session && !this.target.startsWith('/')) return undefined;
      sessionOf(this.req, this.isReceived);
    }
    const { login } = this;
    return login?.passportUser === undefined ? login : this.currentLogin;
  }

  /**
   * Sets `req.clinician`, and `req.user` if this package stores the user, as the session contains them.
   * @param isOurs false if another instance may have set them, whose user remains if none has signed in with this one
   */
  setState(isOurs: boolean = true): void {
    const req: StatefulRequest = this.req;
    const { login } = this;
    if (!isOurs && !login && req.clinician !== undefined && req.clinician !== this.#state) return;
    this.#state = this.visits.stateOf(login);
    req.clinician = this.#state;
    if (login && login.passportUser === undefined) setUser(req, siteUserOf(login));
  }

  /** The path and query of the request. */
  get target(): string {
    this.#target ??= targetOf(this.req);
    return this.#target;
  }

  /**
   * The path that the site receives, wherever the middleware is mounted. Below a wildcard, such as `forRoutes('*')` of NestJS,
   * `baseUrl` of Express is the whole path, and `path` the slash that it adds to the empty rest.
   */
  get receivedPath(): string {
    const { baseUrl, path } = this.req;
    if (baseUrl === '' && path !== undefined) return path;
    const whole = this.target.split('?', 1)[0] as string;
    return path === undefined || baseUrl === undefined || baseUrl === whole ? whole : baseUrl + path;
  }

  /** The query as it was sent: a parser of the site may turn repeated parameters into arrays and objects. */
  get query(): URLSearchParams {
    if (!this.#query) {
      const start = this.target.indexOf('?');
      this.#query = new URLSearchParams(start < 0 ? '' : this.target.slice(start));
    }
    return this.#query;
  }

  /** True for a request that changes nothing. */
  get isRead(): boolean {
    const { method } = this.req;
    return method === 'GET' || method === 'HEAD';
  }

  /**
   * True for a page at the top of a window: the service allows no authorization request in a frame. False if the browser does not
   * send `Sec-Fetch-Dest`, and for an address that is too long to return to.
   */
  get isPageView(): boolean {
    const { method, headers } = this.req;
    const canReturn = this.returnPath.length <= MAX_RETURN_TO_LENGTH;
    return method === 'GET' && headers['sec-fetch-dest'] === 'document' && canReturn && this.isPage;
  }

  /** The path to return to after a sign-in: that of the request, if it is a page. */
  get returnPath(): string {
    return this.isRead && this.target.startsWith('/') ? this.target : '/';
  }

  /** The path of the page that has sent the request, or that htmx requests. */
  get pagePath(): string {
    const current = String(this.req.headers['hx-current-url']);
    if (this.isBoostedLink || !URL.canParse(current)) return this.returnPath;
    const { origin, pathname, search, hash } = new URL(current);
    return origin === this.visits.site.origin ? pathname + search + hash : '/';
  }

  /** True for a link or a form with GET that htmx fetches for the whole window. */
  get isBoostedLink(): boolean {
    return 'hx-boosted' in this.req.headers && this.isRead;
  }

  /** True for a page that htmx or Turbo fetches. */
  get isPageFetch(): boolean {
    const { headers } = this.req;
    return 'hx-request' in headers || 'x-turbo-request-id' in headers;
  }

  /** True for a request of a script or of an element, by `Sec-Fetch-Mode`, which browsers send to a site with https only. */
  get isSubrequest(): boolean {
    return (this.req.headers['sec-fetch-mode'] ?? 'navigate') !== 'navigate' || this.isPageFetch;
  }

  /**
   * True for a navigation, false for a request of a script, which gets no redirect and no page. Turbo shows the page that responds
   * to a form; its links are requested again as navigations.
   */
  get isPage(): boolean {
    const { headers } = this.req;
    const isTurboForm = 'x-turbo-request-id' in headers && !this.isRead;
    if (this.isSubrequest && !isTurboForm) return false;
    if (headers['x-requested-with'] === 'XMLHttpRequest') return false;
    return (headers.accept ?? '')
      .split(',')
      .some(
        (range) =>
          /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(range) && !/;\s*q=0(\.0*)?\s*(;|$)/i.test(range),
      );
  }

  /**
   * True for a request that a browser, Turbo or htmx sends before the user opens the page: prefetch, prerender, preview. Scripts
   * cannot set `Sec-Purpose`.
   */
  get isSpeculative(): boolean {
    const { headers } = this.req;
    const { 'sec-purpose': browser, 'x-sec-purpose': turbo, 'x-purpose': safari, 'x-moz': firefox, purpose } = headers;
    if (!this.isRead) return false;
    const purposes = `${browser} ${turbo} ${safari} ${firefox} ${purpose}`;
    return 'hx-preloaded' in headers || /prefetch|prerender|preview|instant/i.test(purposes);
  }

  /**
   * Whether the request is of the same origin, by `Sec-Fetch-Site`, which scripts cannot set, else by `Origin`; undefined if the
   * browser sent neither, or `Origin: null`. A sibling host (`same-site`) is another site: its owner may be another one.
   */
  get isSameOrigin(): boolean | undefined {
    const { 'sec-fetch-site': site, origin } = this.req.headers;
    // 'none' is a request of the user: the address bar, a bookmark.
    if (site !== undefined) return site === 'same-origin' || site === 'none';
    return origin === undefined || origin === 'null' ? undefined : origin === this.visits.site.origin;
  }

  /**
   * True for a request that a page of this site has sent, by `Sec-Fetch-Site`, else by `Origin`, else by `Referer`. False for the
   * address bar, and if the browser sent none of them.
   */
  get isFromOwnPage(): boolean {
    const { 'sec-fetch-site': site, origin, referer } = this.req.headers;
    if (site !== undefined) return site === 'same-origin';
    return (origin ?? originOf(referer)) === this.visits.site.origin;
  }

  /** True for a request that a page of this site or the address bar has started. */
  get isOwnNavigation(): boolean {
    return this.req.headers['sec-fetch-site'] === 'none' || this.isFromOwnPage;
  }

  /**
   * True for a navigation from a page of another site. Browsers that do not send `Sec-Fetch-Site` are known by their `Referer`,
   * which the other site can leave out: then false.
   */
  get isFromOtherSite(): boolean {
    const { referer } = this.req.headers;
    return !(this.isSameOrigin ?? (!referer || originOf(referer) === this.visits.site.origin));
  }
}

function originOf(referer: string | undefined): string | undefined {
  return referer !== undefined && URL.canParse(referer) ? new URL(referer).origin : undefined;
}
