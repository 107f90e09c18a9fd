/** The rules of the logout endpoint. */
export const LOGOUT_RULES = {
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
};
