/** The rules of the token endpoint. */
export const TOKEN_RULES = {
  'form-body-required': {
    rule: 'Token and revocation requests are application/x-www-form-urlencoded; a charset, if there is one, is UTF-8.',
    source: 'RFC 6749 section 3.2',
    fix: 'POST application/x-www-form-urlencoded; charset=UTF-8, with all parameters in the body.',
  },
  'parameters-in-body-only': {
    rule: 'Token and revocation requests have no query.',
    source: 'RFC 6749 section 3.2',
    fix: 'Send all parameters in the body.',
  },
  'basic-credentials-encoded': {
    rule: 'Basic credentials are base64 of the form-url-encoded id, a colon and the form-url-encoded secret.',
    source: 'RFC 6749 section 2.3.1',
    fix: 'Encode id and secret with encodeURIComponent, join them with a colon, and encode that in base64.',
  },
  'client-authenticated': {
    rule: 'The client authenticates with its id and secret; otherwise 401 and WWW-Authenticate: Basic.',
    source: 'RFC 6749 section 5.2',
    fix: 'Compare client_id and client_secret with the registration, and send them as the flow requires.',
  },
  'single-client-authentication': {
    rule: 'A request uses one method of client authentication.',
    source: 'RFC 6749 section 2.3',
    fix: 'Authenticate by one method: leave client_secret out of the body when you send Basic.',
  },
  'client-id-matches-authentication': {
    rule: 'client_id in the body equals the one of the Basic credentials.',
    source: 'RFC 6749 section 2.3',
    fix: 'Leave client_id out of the body when you send Basic.',
  },
  'client-secret-basic-only': {
    rule: 'A client of the openid flow, or one that is registered with client_secret_basic, authenticates by HTTP Basic only.',
    source: 'service spec: what the service does',
    fix: 'Authenticate by HTTP Basic (client_secret_basic): clients of the openid flow cannot send the secret in the body.',
  },
  'client-secret-post-only': {
    rule: 'A client of the profile flow sends client_id and client_secret as form fields; HTTP Basic needs a registration with tokenEndpointAuthMethod.',
    source: 'service spec: what the service does',
    fix: 'Send client_id and client_secret as form fields (client_secret_post), as the profile flow requires.',
  },
  'grant-type-required': {
    rule: 'A token request has a grant_type.',
    source: 'RFC 6749 section 5.2',
    fix: 'Send grant_type=authorization_code or refresh_token.',
  },
  'grant-type-supported': {
    rule: 'grant_type is authorization_code or refresh_token.',
    source: 'RFC 6749 section 5.2',
    fix: 'Send grant_type=authorization_code or refresh_token.',
  },
  'grant-type-registered': {
    rule: 'The client is registered for the grant_type.',
    source: 'RFC 6749 section 5.2',
    fix: 'Register the client with this grant type.',
  },
  'code-required': {
    rule: 'A token request for a code has the code.',
    source: 'RFC 6749 section 4.1.3',
    fix: 'Send the code that the redirect contains.',
  },
  'code-redirect-uri-required': {
    rule: 'A token request for a code has the redirect_uri of the authorization request.',
    source: 'RFC 6749 section 4.1.3',
    fix: 'Send the same redirect_uri as in the authorization request.',
  },
  'code-valid': {
    rule: 'The code is known, not expired, and was issued to this client; a failed attempt does not use it up.',
    source: 'RFC 6749 section 5.2',
    fix: 'Send the code of the redirect, as the client that requested it, within minutes.',
  },
  'code-redirect-uri-matches': {
    rule: 'redirect_uri equals the one of the authorization request exactly.',
    source: 'RFC 6749 section 4.1.3',
    fix: 'Take both from one setting; a proxy that changes the Host header must not change it.',
  },
  'code-verifier-matches': {
    rule: 'code_verifier has 43 to 128 unreserved characters, and its SHA-256 is the code_challenge of the code.',
    source: 'RFC 7636 section 4.6',
    fix: 'Send the code_verifier of this login; store it with state, not in one place for all logins.',
  },
  'no-verifier-without-challenge': {
    rule: 'A code without code_challenge is redeemed without code_verifier.',
    source: 'RFC 9700 section 4.8.2',
    fix: 'Send code_challenge in the authorization request, or leave code_verifier out.',
  },
  'code-single-use': {
    rule: 'A code is used once; a second use revokes every token issued from it.',
    source: 'RFC 6749 section 4.1.2',
    fix: 'Redeem each code once: a reloaded callback must find no transaction. Its tokens are revoked: sign in again.',
  },
  'refresh-token-required': {
    rule: 'A refresh has a refresh_token.',
    source: 'RFC 6749 section 6',
    fix: 'Send the refresh_token of the last token response.',
  },
  'refresh-token-valid': {
    rule: 'The refresh token is known, not expired or revoked, and was issued to this client.',
    source: 'RFC 6749 section 5.2',
    fix: 'Delete the stored tokens and let the clinician sign in again.',
  },
  'refresh-scope-subset': {
    rule: 'A refresh requests the granted scope or a part of it; the refresh token retains the granted scope.',
    source: 'RFC 6749 section 6',
    fix: 'Leave scope out of a refresh, or request a part of what was granted.',
  },
  'refresh-token-single-use': {
    rule: 'A refresh token is used once; a second use revokes the current pair.',
    source: 'RFC 9700 section 4.14.2',
    fix: 'Run one refresh at a time for a grant, and store the new refresh token before you use it. Now sign in again.',
  },
};

/** The rules of the revocation endpoint. */
export const REVOCATION_RULES = {
  'revocation-basic-required': {
    rule: 'Clients of both flows authenticate by HTTP Basic.',
    source: 'RFC 7009 section 2.1',
    fix: 'Authenticate by HTTP Basic at the revocation endpoint, in both flows.',
  },
  'revocation-token-required': {
    rule: 'A revocation request has a token.',
    source: 'RFC 7009 section 2.1',
    fix: 'Send the token to revoke in the form field token.',
  },
  'revocation-same-client': {
    rule: 'A token is revoked by the client that it was issued to.',
    source: 'RFC 7009 section 2.1',
    fix: 'Revoke a token as the client that it was issued to.',
  },
};
