const ENDPOINTS = 'the endpoints are read from the metadata of the service';
const ONE_LOGIN =
  "It is an option of one login: of clinician.login(req, res, { ... }) and passport.authenticate('clinician', { ... }).";
const ALWAYS = 'Remove it: it is always used.';
const NOT_SENT = "Remove it: it is not sent. A subclass of ClinicianStrategy can add it in 'authorizationParams()'.";
const OWN_COOKIE = "Remove it: each login attempt has its own sealed cookie, which needs 'secret'.";
const AUTHENTICATION = "Remove it: 'flow' decides how the client is authenticated.";
const NOT_SUPPORTED = 'Remove it: the service does not support it.';
const SIGNS_OUT = "Remove it: 'POST /auth/logout' signs out at the service, too.";
const CALLBACK_URL = "Set 'callbackURL': the origin of your site with the path of the callback.";

/** The options of passport-oauth2, passport-openidconnect and express-openid-connect, with what to do here: see docs/start/migrating.md. */
const OTHER_LIBRARIES: Readonly<Record<string, string>> = {
  authorizationURL: `Set 'issuer': ${ENDPOINTS}.`,
  tokenURL: `Set 'issuer': ${ENDPOINTS}.`,
  userInfoURL: `Remove it: ${ENDPOINTS}.`,
  scopeSeparator: 'Remove it: it is a space.',
  state: ALWAYS,
  pkce: ALWAYS,
  nonce: ALWAYS,
  store: OWN_COOKIE,
  sessionKey: OWN_COOKIE,
  transactionCookie: OWN_COOKIE,
  legacySameSiteCookie: OWN_COOKIE,
  customHeaders: AUTHENTICATION,
  clientAuthMethod: AUTHENTICATION,
  clientAssertionSigningKey: AUTHENTICATION,
  clientAssertionSigningAlg: AUTHENTICATION,
  useMtls: AUTHENTICATION,
  proxy: "Remove it: 'callbackURL' is absolute, and proxy headers are ignored.",
  passReqToCallback: "Remove it: 'onSignIn' always receives 'req'.",
  skipUserProfile: "Remove it: the profile is read if 'scope' has 'basic'.",
  prompt: ONE_LOGIN,
  display: ONE_LOGIN,
  maxAge: `${ONE_LOGIN} It is in milliseconds.`,
  idTokenHint: ONE_LOGIN,
  responseMode: 'Remove it: the response is in the query.',
  loginHint: NOT_SENT,
  uiLocales: NOT_SENT,
  acrValues: NOT_SENT,
  claims: NOT_SENT,
  agent: "Set 'ca' for a private certificate authority, or your own 'fetch'.",
  issuerBaseURL:
    "Set 'issuer', exactly as in the metadata of the service. Without 'authRequired', express-openid-connect protects every route: app.use(clinician.requireLogin()) does so here.",
  baseURL: CALLBACK_URL,
  appURL: CALLBACK_URL,
  siteName: "Set 'pages.siteName': pages: { siteName: 'Example Hospital' }.",
  session:
    "Set 'idleTimeout' and 'absoluteTimeout', in milliseconds: 'rollingDuration' and 'absoluteDuration' are in seconds. The others are options of express-session: put app.use(session({ ... })) before this middleware.",
  rollingDuration: "Set 'idleTimeout', in milliseconds: 'rollingDuration' is in seconds.",
  absoluteDuration: "Set 'absoluteTimeout', in milliseconds: 'absoluteDuration' is in seconds.",
  authRequired: "Remove it for 'false'. For 'true', the default there, use a guard: app.use(clinician.requireLogin()).",
  errorOnRequiredAuth: 'Remove it: a script gets 401, a browser is redirected.',
  attemptSilentLogin: 'Use app.use(clinician.signInSilently()).',
  authorizationParams: `Set 'scope'. 'prompt', 'display' and 'maxAge' are options of one login: of clinician.login(req, res, { ... }), or of a link, such as '/auth/login?prompt=login'.`,
  tokenEndpointParams: NOT_SUPPORTED,
  logoutParams: NOT_SUPPORTED,
  postLogoutRedirect: "Set option 'postLogoutRedirectURI'.",
  auth0Logout: SIGNS_OUT,
  idpLogout: SIGNS_OUT,
  backchannelLogout: 'Use clinician.sessionCheckFrame(): the service has no back-channel logout.',
  afterCallback:
    "Set 'onSignIn' of clinicianLogin(), which returns your own user or denies the sign-in; with ClinicianStrategy, the verify function does.",
  getLoginState: "Use 'returnTo', or the option 'state' of passport.authenticate().",
  identityClaimFilter: "Remove it: 'req.clinician.identity' has the ids and the issuer only.",
  clockTolerance: 'Remove it: it is 60 seconds.',
  idTokenSigningAlg: 'Remove it: it is RS256.',
  pushedAuthorizationRequests: NOT_SUPPORTED,
  requestObjectSigningKey: NOT_SUPPORTED,
  requestObjectSigningAlg: NOT_SUPPORTED,
  requestObjectSigningKeyId: NOT_SUPPORTED,
  discoveryCacheMaxAge: 'Remove it: the metadata is cached.',
  httpTimeout: "Set 'timeout', in milliseconds.",
  httpUserAgent: "Set your own 'fetch'.",
  customFetch: "Set 'fetch'.",
  enableTelemetry: 'Remove it: no data is sent.',
};

const BY_LETTERS = new Map(Object.entries(OTHER_LIBRARIES).map(([name, fix]) => [name.toLowerCase(), fix]));

/** @returns what to do in place of an option of another library. @param letters its name, without case and signs */
export function replacementOf(letters: string): string | undefined {
  return BY_LETTERS.get(letters);
}
