/** The rules of session_state and the session check page. */
export const SESSION_CHECK_RULES = {
  'session-state-value': {
    rule: 'session_state is the SHA-256 of client_id, origin of the redirect URI, browser state and salt, a dot, and the salt.',
    source: 'OpenID Connect Session Management 1.0 section 3.2',
  },
  'browser-state-cookie': {
    rule: 'The browser state is random, is readable by scripts, and changes at login, logout and user switch, not at a refresh.',
    source: 'OpenID Connect Session Management 1.0 section 3.2',
  },
  'session-check-message': {
    rule: 'The message is split at its last space; a message without both parts and a salt gets error.',
    source: 'OpenID Connect Session Management 1.0 section 3.2',
  },
  'session-check-other-origin': {
    rule: 'A message from another origin than the one of the redirect URI gets changed.',
    source: 'service spec: authentication',
  },
  'session-check-blocked-cookies': {
    rule: 'Without the cookie the reply is changed; if the browser blocks cookies or SubtleCrypto is missing, it is error.',
    source: 'OpenID Connect Session Management 1.0 section 5.1',
  },
  'session-check-framed': {
    rule: 'Any site may frame the page; its policy allows its own script only, and it replies to the sender only.',
    source: 'OpenID Connect Session Management 1.0 section 3.3',
  },
};

/** The rules of the logout endpoint. */
export const LOGOUT_RULES = {
  'logout-request-well-formed': {
    rule: 'A logout request is well-formed.',
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 2',
    fix: 'Encode each parameter of the logout request with encodeURIComponent or URLSearchParams.',
  },
  'logout-parameter-sent-once': {
    rule: 'Each parameter of a logout request is sent once, in the query or in the form.',
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 2',
    fix: 'Send each parameter of the logout request once.',
  },
  'logout-parameters-required': {
    rule: 'Without id_token_hint or post_logout_redirect_uri a page asks the user to confirm; the session remains and nothing is redirected.',
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 2',
    fix: 'Send id_token_hint and post_logout_redirect_uri: without them no user is signed out.',
  },
  'logout-hint-valid': {
    rule: 'id_token_hint is an ID Token that this provider issued to a known client; it may be expired.',
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 2',
    fix: 'Send an ID Token of this provider as id_token_hint, unchanged; an expired one is accepted.',
  },
  'logout-client-id-matches': {
    rule: 'client_id, when it is sent, is the one of id_token_hint.',
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 2',
    fix: 'Leave client_id out of the logout request, or send the one that the ID Token was issued to.',
  },
  'post-logout-uri-exact-match': {
    rule: 'post_logout_redirect_uri equals a registered one of that client exactly; otherwise the session remains.',
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 2',
    fix: 'Register the post_logout_redirect_uri, and send it exactly as it is registered.',
  },
  'logout-hint-user': {
    rule: 'When id_token_hint is of another user than the signed-in one, a page asks the user to confirm.',
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 2',
    fix: 'Send the ID Token of the clinician who is signed in with this browser.',
  },
  'logout-without-session': {
    rule: 'A logout without a session redirects as a success.',
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 2',
  },
  'logout-ends-session-first': {
    rule: 'The session ends and the browser state changes before the 302, which has state exactly as sent and no other parameter.',
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 3',
  },
  'logout-without-revocation': {
    rule: 'Logout revokes no token: the client revokes them.',
    source: 'service spec: authentication',
  },
  'logout-ends-silent-login': {
    rule: 'After logout prompt=none gets login_required.',
    source: 'OpenID Connect Core section 3.1.2.6',
  },
};
