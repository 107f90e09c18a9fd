import type { Statements } from './statement.js';

/** Lists the statements about the authorization endpoint. */
export const AUTHORIZATION_STATEMENTS: Statements = {
  'authorization-redirect': {
    statement: 'An authorization request is a redirect of the browser, without a body.',
    rules: ['method-allowed'],
    mock: 'mock-provider/endpoints/authorize: the successful response has code, state and session_state, and no other parameter',
    client: 'spec/client: a site that signs in by: %s redirects the browser to the authorization endpoint',
  },
  'authorization-client-id': {
    statement: 'client_id is required, and public.',
    rules: ['client-id-required', 'client-id-known'],
    mock: 'mock-provider/endpoints/authorize: client_id missing is refused on a page',
    client:
      'authorization-server/request: an authorization request has state, nonce and an S256 code challenge in the openid flow',
  },
  'authorization-response-type': {
    statement: 'response_type is required, and is code.',
    rules: ['response-type-required', 'response-type-supported'],
    mock: 'mock-provider/endpoints/authorize: response_type %s is refused with %s',
    client:
      'authorization-server/request: an authorization request has state, nonce and an S256 code challenge in the openid flow',
  },
  'authorization-redirect-uri': {
    statement: 'redirect_uri is required.',
    rules: ['redirect-uri-required', 'redirect-uri-exact-match'],
    mock: 'mock-provider/endpoints/authorize: redirect_uri missing is refused on a page, also with one registered redirect URI',
    client:
      'authorization-server/request: an authorization request has state, nonce and an S256 code challenge in the openid flow',
  },
  'authorization-scope-optional': {
    statement: 'scope is optional, and separated by spaces.',
    rules: ['scope-order-ignored', 'scope-characters'],
    mock: 'mock-provider/endpoints/authorize: scope repeated scope tokens in any order are granted once',
    client: 'authorization-server/request: an authorization request has the optional parameters of the service spec',
  },
  'authorization-scope-default-profile': {
    statement: 'In Form A the scope is basic by default.',
    rules: ['scope-default'],
    mock: 'mock-provider/endpoints/authorize: scope missing means basic in the profile flow and openid in the openid flow',
    client:
      'authorization-server/request: an authorization request has neither nonce nor challenge in the profile flow, and uses fixed paths without discovery',
  },
  'authorization-scope-default-openid': {
    statement: 'In Form B the scope is openid by default.',
    rules: ['scope-default'],
    mock: 'mock-provider/endpoints/authorize: scope missing means basic in the profile flow and openid in the openid flow',
    client:
      'authorization-server/request: an authorization request has state, nonce and an S256 code challenge in the openid flow',
  },
  'authorization-state-unique': {
    statement: 'state is recommended, and unique.',
    rules: ['state-sent-once', 'state-missing', 'state-reused'],
    mock: 'mock-provider/endpoints/authorize: the successful response has code, state and session_state, and no other parameter',
    client: 'authorization-server/request: an authorization request has a new state, nonce and verifier each time',
  },
  'authorization-state-returned': {
    statement: 'state is returned unchanged.',
    rules: ['authorization-response-members'],
    mock: 'mock-provider/endpoints/authorize: the successful response returns the state %j unchanged',
  },
  'authorization-state-checked': {
    statement: 'The application checks state in the response.',
    reason: 'Only the application can check it; the fault wrongState shows whether it does.',
    client: 'spec/client: a site that signs in by: %s accepts a response only once, and with the state of this browser',
  },
  'authorization-type-values': {
    statement: 'In Form A type is optional: verify or login, and login by default.',
    rules: ['type-profile-flow-only', 'presentation-never-fails'],
    mock: 'mock-provider/interactions/sign-in: the login page with type=verify has its own text and the same form in the profile flow',
    client: 'integration/login-link: a link to the login route of a sign-in button has the options of the button',
  },
  'authorization-type-landing-page': {
    statement: 'type chooses the landing page only.',
    rules: ['type-profile-flow-only', 'type-in-openid-flow'],
    mock: 'mock-provider/interactions/sign-in: the login page with type=verify has its own text and the same form in the profile flow',
  },
  'authorization-code-challenge': {
    statement: 'In Form B code_challenge is required.',
    rules: ['pkce-required', 'pkce-missing'],
    mock: 'mock-provider/endpoints/authorize: PKCE a request of the openid flow without code_challenge is refused',
    client:
      'authorization-server/request: an authorization request has state, nonce and an S256 code challenge in the openid flow',
  },
  'authorization-code-challenge-format': {
    statement: 'code_challenge is the SHA-256 of the verifier, in URL-safe base64.',
    rules: ['code-challenge-format', 'code-verifier-matches'],
    mock: 'mock-provider/endpoints/authorize: PKCE a code_challenge that is %s is refused',
    client:
      'authorization-server/request: an authorization request has state, nonce and an S256 code challenge in the openid flow',
  },
  'authorization-code-challenge-method': {
    statement: 'In Form B code_challenge_method is required, and S256 is the only supported method.',
    rules: ['pkce-s256-only'],
    mock: 'mock-provider/endpoints/authorize: PKCE code_challenge_method plain is refused',
    client:
      'authorization-server/request: an authorization request has state, nonce and an S256 code challenge in the openid flow',
  },
  'authorization-prompt-values': {
    statement: 'prompt is optional: empty, none, login, consent or create.',
    rules: ['prompt-known', 'prompt-combination'],
    mock: 'mock-provider/endpoints/authorize: prompt "%s" is accepted',
    client: 'integration/login-link: a link to the login route is refused with prompt=select_account',
  },
  'authorization-prompt-default': {
    statement: 'prompt is empty by default, which forces no interaction.',
    rules: ['empty-parameter-absent', 'consent-remembered'],
    mock: 'mock-provider/endpoints/authorize: consent is remembered for a user, a client and a scope, and requested again for more scope',
    client:
      'authorization-server/request: an authorization request stores a prompt from extra in the transaction, and omits an empty prompt',
  },
  'authorization-prompt-none-session': {
    statement: 'With prompt=none and a session the service redirects back.',
    rules: ['prompt-none-without-ui'],
    mock: 'mock-provider/endpoints/authorize: prompt=none with session and consent returns a code of the same login',
    client: 'integration/sign-in-modes: silent sign-in a user with a session at the service is signed in',
  },
  'authorization-prompt-none-error': {
    statement: 'With prompt=none and no session the service returns an error.',
    rules: ['prompt-none-without-ui', 'silent-login-loop'],
    mock: 'mock-provider/endpoints/authorize: prompt=none without a session gets login_required and sets no cookie',
    client:
      'integration/sign-in-modes: silent sign-in a user without a session at the service remains signed out, and is not redirected again',
  },
  'authorization-prompt-login': {
    statement: 'With prompt=login the user logs in again.',
    rules: ['prompt-login-reauthenticates'],
    mock: 'mock-provider/endpoints/authorize: prompt=login and prompt=consent login shows the login page again and sets a new auth_time',
    client: 'authorization-server/id-token: an ID Token max_age and prompt=login require a recent auth_time',
  },
  'authorization-prompt-consent': {
    statement: 'With prompt=consent the user approves again.',
    rules: ['prompt-consent-shows-page'],
    mock: 'mock-provider/endpoints/authorize: prompt=login and prompt=consent consent shows the consent page again; with login the login page is first',
    client:
      'integration/login-link: a link to the login route can have every option that is safe, in the names of clinician.login()',
  },
  'authorization-prompt-create': {
    statement: 'With prompt=create the user starts at account creation.',
    rules: ['prompt-create-registers-first'],
    mock: 'mock-provider/endpoints/authorize: prompt=create shows the account creation page first, also to a signed-in user',
    client: 'integration/login-link: a link to the login route of a sign-in button has the options of the button',
  },
  'authorization-display': {
    statement: 'display is optional: page or popup, and page by default.',
    rules: ['presentation-never-fails'],
    mock: 'mock-provider/interactions/sign-in: the login page with display=%s has the class of that display',
    client:
      'integration/sign-in-modes: a sign-in in a popup requests display=popup, signs in, and ends on a page that notifies the opener and closes',
  },
  'authorization-response-mode': {
    statement: 'response_mode is optional: query or fragment, and query by default.',
    rules: ['response-mode-supported', 'response-mode-fragment'],
    mock: 'mock-provider/endpoints/authorize: response_mode query and fragment return the parameters there',
    client:
      'security/fragment: a response in the fragment, on a site that signs in by: %s is posted by a page at the callback, and signs the user in',
  },
  'authorization-nonce': {
    statement: 'nonce is optional: a random text that binds the ID Token to the request.',
    rules: ['id-token-claims', 'nonce-missing', 'nonce-reused'],
    mock: 'mock-provider/endpoints/token: the ID Token has the claims of the service spec',
    client: 'authorization-server/id-token: an ID Token with another nonce is rejected',
  },
  'authorization-id-token-hint': {
    statement: 'id_token_hint is optional: an earlier ID Token that fills in the sign-in name.',
    rules: ['id-token-hint-valid', 'id-token-hint-fills-in'],
    mock: 'mock-provider/interactions/sign-in: the login page is filled in with the user of id_token_hint, and another user may sign in',
    client: 'authorization-server/request: an authorization request has the optional parameters of the service spec',
  },
  'authorization-success': {
    statement: 'A success redirects to redirect_uri with code and state.',
    rules: ['authorization-response-members'],
    mock: 'mock-provider/endpoints/authorize: the successful response has code, state and session_state, and no other parameter',
    client: 'spec/client: a site that signs in by: %s accepts a response only once, and with the state of this browser',
  },
  'authorization-session-state': {
    statement: 'session_state is returned in Form B only, and only with the scope openid.',
    rules: ['authorization-response-members', 'session-state-value'],
    mock: 'mock-provider/endpoints/authorize: the successful response has code, state and session_state, and no other parameter',
    client:
      'integration/session-check: the page of the session check contains the session state, and can be framed by this site only',
  },
  'authorization-denied': {
    statement: 'A denial redirects with error=access_denied and error_description.',
    rules: ['user-approval-required'],
    mock: 'mock-provider/endpoints/authorize: a denial redirects with access_denied and state',
    client:
      'authorization-server/authorization-response: an authorization response with access_denied has the description of the service',
    site: 'browser/sign-in: by $signInBy, in the $flow flow a denial shows a page that offers another try, which signs the user in',
  },
};
