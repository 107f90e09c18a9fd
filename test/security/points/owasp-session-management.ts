import type { SecuritySections } from './point.js';

const NEW_SESSION =
  'security/sessions: session fixation a login gets a new session id, and the old session and its contents are deleted';
const SIGN_OUT =
  'security/sessions: signing out destroys the session, revokes at the service, and the old cookie signs no user in';
const COOKIES =
  'security/cookie-attributes: on https each cookie is HttpOnly and SameSite=Lax, for this host only, and short-lived';

/** Lists the recommendations of the OWASP Session Management Cheat Sheet, by its headings. */
export const SESSION_MANAGEMENT: SecuritySections = [
  [
    'Session ID properties',
    [
      {
        requirement: 'The name of the session cookie does not reveal the framework.',
        example: [
          'Its cookie has a name of its own.',
          'example-app/site: the session cookie is HttpOnly and SameSite=Lax, and is set only by a sign-in',
        ],
        package: [
          'Sign-out removes a session cookie of any name.',
          'security/sessions: signing out removes the session cookie from the browser, %s',
        ],
        site: 'Set the option `name` of express-session.',
      },
      {
        requirement: 'A session ID has at least 64 random bits; one that an application creates has 128.',
        package: [
          'Grant ids, `state` and `nonce` have more than 128 random bits. express-session creates the session ID.',
          'security/session-ids: the ids of sessions and grants are long, random and different',
          'authorization-server/request: an authorization request has state, nonce and an S256 code challenge in the openid flow',
        ],
      },
      {
        requirement:
          'A session ID has no meaning. Its data is stored on the server, and sensitive data is encrypted there.',
        package: [
          'The session has a grant id, the user and no token. Tokens are sealed in the token store.',
          'security/sessions: the session contains no token and no profile, and printed objects contain no secret',
          'token-vault/token-vault: put passes the user to the store, and no token in plain text',
        ],
        site: 'Return only what you need from `onSignIn`: it is in your session store as plain text.',
      },
    ],
  ],
  [
    'Session management implementation',
    [
      {
        requirement: 'An application uses the sessions of its framework, in a recent version.',
        package: [
          'It uses the session of the site. `passport-clinician doctor` names packages with published vulnerabilities.',
          'security/sessions: a site without a session fails before the code is used, and says what to add',
          'cli/doctor: a package version with a published vulnerability is a problem',
          'architecture/minimum-versions: no locked version is below its minimum, at any depth',
        ],
      },
      {
        requirement: 'Session IDs are accepted in cookies only.',
        package: [
          'An id in the URL, the body or a header has no effect.',
          'security/session-ids: an id in the URL, in a header or in the body signs no user in',
        ],
      },
      {
        requirement: 'The whole session uses TLS, enforced by HSTS.',
        package: [
          'On https the cookies of this package are Secure and are sent over TLS only.',
          'security/transactions: the cookie of a login attempt is HttpOnly, SameSite=Lax and short-lived, and on https Secure with the __Host- prefix',
          'options/options: an invalid option throws an error that names the option and the fix %s %s is plain http on a public host, or not http',
        ],
        site: 'Serve every page over https. helmet sends `Strict-Transport-Security`.',
      },
    ],
  ],
  [
    'Cookies',
    [
      {
        requirement: 'Session cookies are Secure, HttpOnly and SameSite=Lax or Strict.',
        package: [
          'Its own cookies are. A session cookie that is SameSite=Strict works too.',
          COOKIES,
          'security/silent-sign-in: a session cookie that is SameSite=Strict the callback is reloaded once, also in a browser that does not send Sec-Fetch-Site',
          'browser/reference-site: a SameSite=Strict session works by %s, with the provider on another site',
        ],
        example: [
          'Its session cookie is.',
          'example-app/site: the session cookie is HttpOnly and SameSite=Lax, and is set only by a sign-in',
        ],
        site: "Set `cookie: { secure: true, sameSite: 'lax' }` in express-session.",
      },
      {
        requirement: 'The name of a cookie has the prefix `__Host-`: no other host can set it, and it has no Domain.',
        package: ['On https, each cookie of this package has it.', COOKIES],
        example: [
          'On https its session cookie has it, too.',
          'example-app/site: the session cookie of an https site is bound to its host, and is removed by a sign-out',
        ],
        site: "Name the session cookie, for example `__Host-session`, with `path: '/'` and without `domain`.",
      },
      {
        requirement:
          'Session cookies end with the session of the browser; persistent cookies have no sensitive data, or encrypted data.',
        package: [
          'Cookies with a lifetime are sealed, and are removed when they are used.',
          'security/transactions: the cookie of a login attempt does not reveal its contents',
          'security/transactions: an authorization response that belongs to no attempt of this browser removes the cookie of its attempt',
          'cookies: attributes without a lifetime the cookie ends with the session of the browser',
        ],
        site: 'Leave `maxAge` of the session cookie out, or keep it short.',
      },
      {
        requirement: 'A cookie that was changed has no effect.',
        package: [
          'Cookies are sealed with AES-256-GCM under their name.',
          'security/transactions: the cookie of a login attempt is ignored when it is %s',
          'sealer: a sealer does not open when any single bit is changed',
          'security/session-loss: a site that loses its session an expired or forged mark has no effect',
          'security/header-sizes: a cookie with the name of a login attempt and then %j causes no error of the site',
        ],
      },
    ],
  ],
  [
    'HTML5 Web Storage and Web Workers',
    [
      {
        requirement: 'Tokens and session IDs are not in localStorage, sessionStorage or a Web Worker.',
        package: [
          'No response to the browser has a token, except the ID Token of a logout in the URL of the service. So no script can store one.',
          'security/secret-leaks.ts: with %s, in the %s flow no event, log line, page, header, session or store contains a token, code, verifier or secret',
        ],
      },
    ],
  ],
  [
    'Session ID life cycle',
    [
      {
        requirement: 'A session ID that the application has not created is never used (strict management).',
        package: [
          'A login replaces an unknown id by a new one.',
          'security/session-ids: an id that the site has not signed is never the id of a login, nor stored',
        ],
      },
      {
        requirement: 'A session ID is untrusted input.',
        package: [
          'Invalid ids leave the user signed out.',
          'security/session-ids: an id that the site has not signed is never the id of a login, nor stored',
        ],
      },
      {
        requirement: 'The session ID is renewed at each change of privileges, and the old session is destroyed.',
        package: [
          'At each login, for the same or another user, through Passport too, and for more scope.',
          NEW_SESSION,
          'security/passport-login: a login through Passport, routes: %s gets a new session id, and the old session is deleted (keepSessionInfo: %s)',
          'security/session-ids: a further login, for more scope or for the password again, gets a new session id and ends the old session',
          'security/sessions: the second user of one browser gets no data of the first',
          'integration/on-sign-in: data of the session before the sign-in by %s: only what onSignIn carries over is in the new session',
          'integration/on-sign-in: data of the session before the sign-in by %s: nothing is carried over to another user',
        ],
        site: 'Do not set `keepSessionInfo` of Passport: it copies the data of the session before. `carryOver()` copies the members that it is called with.',
      },
      {
        requirement: 'Users authenticate again after a risk event.',
        package: [
          '`requireRecentLogin()` requires the password again, proved by the signed ID Token.',
          'integration/login-from-pages: on a site that signs in by: %s requireRecentLogin() lets a recent login pass, and leads a later one to the password and back',
          'integration/login-from-pages: on a site that signs in by: %s requireRecentLogin() is not passed when the browser removes prompt and max_age from the request',
        ],
        site: 'Use it for sensitive pages, in the `openid` flow. Password changes and account recovery are at the service.',
      },
      {
        requirement: 'Where several cookies belong to one session, all are verified together.',
        package: [
          'Session, token store and user are compared: a session whose tokens or user changed is no login.',
          "integration/site-passport: a login in a session whose user the site's own Passport changes ends when POST %s changes the user",
          'integration/forget: clinician.forget(userID) signs out in another process when its guard reads the token store again',
        ],
      },
    ],
  ],
  [
    'Session expiration',
    [
      {
        requirement: 'Sessions have an idle timeout and an absolute timeout, enforced on the server.',
        package: [
          'Options `idleTimeout` and `absoluteTimeout`, checked by the server. A login also ends with its tokens: when the service refuses a refresh, and after 30 days without use.',
          'integration/login-lifetime: a login that is not used for %s ends',
          'integration/login-lifetime: a login that is used ends after %s',
          'integration/forget: a refused refresh ends the login at every guard, and a new sign-in returns to the page',
          'token-vault/token-vault: put unused tokens expire after 30 days',
        ],
        site: 'Choose `idleTimeout` and `absoluteTimeout` for your users. Limit the time since the password by `requireRecentLogin()`.',
      },
      {
        requirement: 'An expired session is invalid in the browser and on the server.',
        package: [
          'Sign-out destroys the session, removes its cookie and revokes the tokens.',
          SIGN_OUT,
          'security/sessions: signing out removes the session cookie from the browser, %s',
          'integration/forget: the sessions of a forgotten user are deleted from the session store, with the data of the site, and no others',
        ],
      },
      {
        requirement: 'The session ID is renewed regularly (optional).',
        reason: 'The session belongs to the site. Each login renews it.',
        site: 'Call `req.session.regenerate()` if your sessions are long.',
      },
      {
        requirement: 'Each page has a sign-out button.',
        package: [
          '`signOutButton()`; signing out ends the session at the service too.',
          'browser/sign-out: by $signInBy, in the $flow flow a sign-out returns to the site, and reports whether the session at the service has ended',
        ],
        example: [
          'Its account page has it, and every page links to that page.',
          'browser/sign-in: by $signInBy, in the $flow flow a verified clinician signs in, sees the whole profile, reads the notes and signs out',
        ],
      },
      {
        requirement: 'Responses with session IDs or personal data are not cached.',
        package: [
          'Every response of this package has `Cache-Control: no-store`.',
          'security/response-headers: the start and the end of a login send no referrer, are not cached, and their pages are not framed',
          'security/response-headers: pages and problems of a site without helmet are not cached, and pages send no referrer',
        ],
        example: [
          'Its pages are not cached either.',
          'example-app/site: pages have a Content-Security-Policy without unsafe scripts, and are not cached or framed',
        ],
        site: 'Send `Cache-Control: no-store` with pages for signed-in users, and `Clear-Site-Data` at sign-out if browsers stored data.',
      },
    ],
  ],
  [
    'Additional client-side defenses',
    [
      {
        requirement: 'A login page that is open for long gets a new session ID.',
        package: [
          'A login attempt is valid for 30 minutes.',
          'security/transactions: an authorization response that belongs to no attempt of this browser for an attempt older than 30 minutes is refused',
        ],
      },
      {
        requirement: 'Pages sign out when the window is closed or idle (optional).',
        package: [
          '`sessionCheckFrame()` signs out when the user signs out at the service, also on an idle page.',
          'browser/session-check: with checkWhenIdle a page that is not used signs out without a navigation of the user',
        ],
        reason: 'Closing a window is no sign-out: other windows share the session.',
      },
      {
        requirement: 'Tabs do not share a session (optional).',
        reason: 'Cookies are shared by all tabs, as the cheat sheet notes.',
      },
    ],
  ],
  [
    'Session attacks detection',
    [
      {
        requirement: 'Guessing of session IDs, and changes of address or browser within a session, are detected.',
        reason: 'The package does not see other sessions, and addresses of clinicians change during a day.',
        site: 'Limit the rate of requests by address, at the proxy or by a middleware before the drop-in.',
      },
      {
        requirement: 'The life cycle of sessions is logged, without session IDs.',
        package: [
          '`onEvent` receives sign-ins, refreshes, sign-outs, revocations and failures, with the user id and an error code.',
          'security/secret-leaks.ts: with %s, in the %s flow no event, log line, page, header, session or store contains a token, code, verifier or secret',
          'events: DEBUG an event is one line, even when an id contains line breaks',
        ],
        site: 'Log the events.',
      },
      {
        requirement: 'The application decides on simultaneous sessions, and can end them.',
        package: [
          'A user has at most 50 logins by default: a further one ends the oldest. `forget()` ends all.',
          'session/token-manager: a user with many logins loses the oldest login at the 51st: it is revoked, and its session is deleted',
          'integration/forget: clinician.forget(userID) revokes and erases everything, and signs out every session of the user at its next request',
          'integration/forget: the sessions of a forgotten user are deleted by a process that shares the session store, once it has received a request',
        ],
      },
      {
        requirement: 'A web application firewall can add protections.',
        reason: 'It is outside of this package.',
      },
    ],
  ],
];
