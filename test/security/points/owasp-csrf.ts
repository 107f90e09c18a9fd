import type { SecuritySections } from './point.js';

const OLD_BROWSER = 'integration/logout: a browser that sends no Sec-Fetch-Site, and Origin: null because of helmet';

/** Lists the recommendations of the OWASP Cross-Site Request Forgery Prevention Cheat Sheet, by its headings. */
export const CSRF_PREVENTION: SecuritySections = [
  [
    'Introduction',
    [
      {
        requirement: 'An application uses the CSRF protection of its framework, if it has one.',
        package: [
          'Express has none. The routes of the drop-in are protected, and `requireSameOrigin()` protects those of the site.',
          'security/sessions: signing out does nothing for a request from %s',
          'security/cross-site-requests: a request that changes state with %s is refused',
        ],
        site: 'Use `requireSameOrigin()` on each of your routes that changes state.',
      },
      {
        requirement: 'GET requests change no state.',
        package: [
          'Sign-out and forget are POST only: GET shows a page that asks. A login that another site starts replaces no user.',
          'security/sessions: signing out does nothing by GET: a browser gets a page that asks, a script gets 405',
          'integration/forget: POST /auth/forget from another site, or by GET, does nothing',
          'security/silent-sign-in: a link on another site that requests a silent sign-in does not switch a signed-in user',
          'security/user-change: a signed-in user of a site that signs in by: %s that a page of another site leads to the login route remains signed in, and no login starts: %s',
          'security/user-change: a signed-in user of a site that signs in by: %s while another user signs in at the service remains signed in, and is asked at a URL without the response',
        ],
        mock: [
          'GET sends no message and approves nothing. It issues a code only where the user has approved the same request before.',
          'mock-provider/resource-api/inbox: a new message is not sent by GET',
          'mock-provider/endpoints/authorize: prompt=none for a scope without consent gets consent_required',
          'mock-provider/server/every-endpoint: HEAD and OPTIONS HEAD of the authorization endpoint issues no code to a signed-in user',
        ],
        example: [
          'Every action is POST.',
          'example-app/pages: the site by $signInBy, in the $flow flow /account every action refuses requests from another site',
        ],
      },
      {
        requirement: 'Cross-site scripting defeats CSRF protection: output is escaped.',
        package: [
          'Every value on a page is escaped, and the policy allows no inline script.',
          'html/escape: the html template escapes values, but not its own HTML again',
          'html/pages: hostile text is escaped on the page "%s"',
          'security/advisories: a script in the parameters of an error response is text on the page',
        ],
        mock: [
          'Its pages escape too, and run no scripts.',
          'mock-provider/pages/page: values on a page are text for a hostile client name, login_hint, state and clinician, from login to consent',
        ],
        example: [
          'A hostile profile is shown as text.',
          'browser/reference-site: with the default settings a hostile profile is shown as text',
          'browser/reference-site: the Content-Security-Policy blocks an injected script',
        ],
      },
    ],
  ],
  [
    'Token-based mitigation',
    [
      {
        requirement: 'A request is refused unless it has a valid token of its session.',
        package: [
          'A browser that sends neither `Sec-Fetch-Site` nor `Origin` needs the token.',
          'security/sessions: signing out does nothing for a request from %s',
          `${OLD_BROWSER} signs out with the CSRF token of its page, in a form or a header`,
          `${OLD_BROWSER} does not sign out with the token of another user, an altered token, two tokens, or a token in an oversized body`,
        ],
        mock: [
          'Each form has a token that is valid once, in one browser.',
          'mock-provider/interactions/forms: a form is refused from another browser, also with valid tokens',
          'mock-provider/interactions/forms: a form is refused with an altered token',
        ],
      },
      {
        requirement: 'A refused request is logged.',
        package: [
          'The routes of the drop-in emit the event `request_failed`.',
          'security/cross-site-requests: a refused request to a route of the drop-in is an event',
        ],
        site: 'Log the requests that `requireSameOrigin()` refuses on your own routes: they have status 403.',
      },
      {
        requirement: 'Tokens are unique for a session, secret and unpredictable.',
        package: [
          'A token is sealed, and bound to the login; of a signed-out user, to the browser.',
          'security/cross-site-requests: CSRF tokens differ from each other, and contain no id of the session or the login',
          'security/cross-site-requests: a request that changes state with the CSRF token of an earlier login of the same user is refused',
        ],
      },
      {
        requirement: 'Tokens are in forms or headers, never in URLs or cookies.',
        package: [
          'A token in the URL or in a cookie is ignored.',
          'security/cross-site-requests: a request that changes state with a valid CSRF token in its URL or in a cookie is refused',
        ],
      },
      {
        requirement:
          'A stateless token is authenticated with a secret key, and bound to the session (signed double submit).',
        package: [
          'AES-256-GCM with a key that is derived from `secret`, and the id of the grant as associated data.',
          'sealer: a sealer does not open with other associated data',
          'sealer: a sealer does not open what was sealed for another purpose, with the same secret',
        ],
      },
      {
        requirement: 'A cookie that another host sets does not give a valid token (naive double submit).',
        package: [
          'The token of one browser is invalid in another one. On https, no other host can set the cookie.',
          `${OLD_BROWSER} of a signed-out user a token is valid in the browser that it was created for, and in no other`,
          'security/cookie-attributes: on https each cookie is HttpOnly and SameSite=Lax, for this host only, and short-lived',
        ],
      },
    ],
  ],
  [
    'Fetch metadata headers',
    [
      {
        requirement: 'State-changing requests with `Sec-Fetch-Site: cross-site` are refused.',
        package: [
          'Only `same-origin` and `none` are accepted, also with a valid token.',
          'security/sessions: signing out does nothing for a request from %s',
          `${OLD_BROWSER} a token does not allow a request that Sec-Fetch-Site marks as cross-site`,
        ],
      },
      {
        requirement: '`same-site` is accepted only if all sibling hosts are trusted.',
        package: ['It is refused.', 'security/sessions: signing out does nothing for a request from a sibling host'],
      },
      {
        requirement: 'Without these headers, the origin is verified.',
        package: [
          'Then `Origin` decides, and without it the token.',
          'security/sessions: signing out works in an old browser by Origin, for scripts, and without a session',
          `${OLD_BROWSER} signs out with the CSRF token of its page, in a form or a header`,
        ],
      },
      {
        requirement: 'Unknown values are ignored.',
        package: [
          'Stricter: a request with an unknown value is refused.',
          'security/cross-site-requests: a request that changes state with an unknown value of Sec-Fetch-Site is refused',
        ],
      },
      {
        requirement: 'Sensitive GET requests are checked too.',
        package: [
          'A silent login starts from pages of this site only, and no login starts in a frame.',
          'security/silent-sign-in: a link on another site that requests a silent sign-in redirects to returnTo; only a link on the same site redirects to the service',
          'security/silent-sign-in: a sign-in that a frame starts is refused without an authorization request (%s)',
          'security/transactions: the cookie of a login attempt is removed for newer attempts, but not for those that another site or a sibling host starts',
        ],
      },
      {
        requirement: 'Responses that depend on these headers are not cached, or vary by them.',
        package: [
          'They are not cached.',
          'security/response-headers: the start and the end of a login send no referrer, are not cached, and their pages are not framed',
        ],
      },
      {
        requirement: 'The whole application is on https: browsers send these headers to https and loopback only.',
        site: 'Serve every page over https, with HSTS.',
      },
    ],
  ],
  [
    'Disallowing simple requests',
    [
      {
        requirement: 'An API refuses the content types of forms, or requires a custom header.',
        package: [
          'Scripts can send the token as `X-CSRF-Token`. The check does not depend on the content type.',
          `${OLD_BROWSER} signs out with the CSRF token of its page, in a form or a header`,
        ],
        mock: [
          'The control API refuses the content types of forms.',
          'mock-provider/control/control: requests from outside a content type that a form can send is refused (%s)',
        ],
      },
      {
        requirement: 'CORS allows only known origins to send credentials.',
        package: [
          'No route allows any other origin.',
          'security/cross-site-requests: no response of a route allows a page of another origin to read it',
          'integration/logout: signing out by a script returns the path to visit as JSON that no other site can read',
        ],
        site: 'Do not send `Access-Control-Allow-Credentials` for origins that you do not control.',
      },
    ],
  ],
  [
    'Client-side CSRF',
    [
      {
        requirement:
          'Scripts do not take the target of a request from the address, the window name, the referrer or a message.',
        package: [
          'Targets are those of the page, and returnTo is a page of this site. Messages of other windows are ignored.',
          'html/popup: a sign-in link with display popup with returnTo %s goes to a page of this site',
          'html/session-check: the session check ignores messages of another window or another origin than the frame of the service',
          'security/fragment: a response in the fragment, on a site that signs in by: %s is refused when a page of %s posts it',
        ],
      },
    ],
  ],
  [
    'Defense in depth',
    [
      {
        requirement: 'Cookies are SameSite, and this is not the only protection.',
        package: [
          'Cookies of this package are SameSite=Lax. Each state-changing request is checked as above.',
          'security/cookie-attributes: on https each cookie is HttpOnly and SameSite=Lax, for this host only, and short-lived',
        ],
        mock: [
          'Over TLS its cookies are SameSite=None, because sites show its session check page in a frame. Forms have tokens.',
          'mock-provider/server/every-endpoint: cookies are None and Secure over TLS',
          'mock-provider/interactions/forms: a form is refused from another browser, also with valid tokens',
        ],
      },
      {
        requirement: 'The whole origin is compared, not a part of it.',
        package: [
          'Scheme, host and port are equal to those of `callbackURL`.',
          'security/cross-site-requests: a request that changes state with an origin that begins like this one is refused',
          'security/cross-site-requests: a request that changes state with another port is refused',
        ],
      },
      {
        requirement: 'A request with neither Origin nor Referer is refused.',
        package: [
          'It needs the token. The Referer is not read.',
          'security/sessions: signing out does nothing for a request from an unknown site',
          'security/cross-site-requests: a request that changes state with a Referer of this site and no Origin is refused',
        ],
      },
      {
        requirement: 'The origin of the application is configured, not read from the Host header.',
        package: [
          'It is the origin of `callbackURL`.',
          'security/cross-site-requests: a request that changes state with a Host and an Origin of another site is refused',
          'security/cross-site-requests: a request that changes state with a forwarded host and an Origin of another site is refused',
        ],
      },
      {
        requirement: 'Sensitive operations need an interaction of the user, such as the password.',
        package: [
          '`requireRecentLogin()` requires the password. A change of user requires a confirmation.',
          'security/user-change: a signed-in user of a site that signs in by: %s while another user signs in at the service is replaced after the confirmation, and no tokens of the user before remain',
          'integration/login-from-pages: on a site that signs in by: %s requireRecentLogin() lets a recent login pass, and leads a later one to the password and back',
        ],
      },
    ],
  ],
  [
    'Login forms',
    [
      {
        requirement: 'A login cannot be forged (login CSRF), and the session before it is replaced.',
        package: [
          'A response belongs to an attempt of this browser, and the session is regenerated.',
          'security/transactions: an authorization response that belongs to no attempt of this browser with the code and state of another browser signs no user in',
          'security/sessions: session fixation a login gets a new session id, and the old session and its contents are deleted',
          'security/user-change: a signed-in user of a site that signs in by: %s while another user signs in at the service is not replaced by a confirmation that another site sends',
        ],
        mock: [
          'The login form has a token, too.',
          'mock-provider/interactions/forms: a form is refused at /oauth/%s without fields',
        ],
      },
    ],
  ],
];
