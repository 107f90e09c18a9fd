/** @import { ClientView, InspectorView } from '../view.js' */

/** What a program needs to use a client. */
/** @typedef {{ client: ClientView, issuer: string, apiURL: string, redirectURI: string, scope: string }} Settings */

/** @param {string} text */
const quote = (text) => JSON.stringify(text);
/** The name of the environment variable of a secret that is not published. */
const SECRET = 'CLINICIAN_CLIENT_SECRET';
/** @type {string | undefined} */
let sessionSecret;

/** @param {ClientView} client */
export function redirectURIOf({ takesAnyLoopbackURI, redirectURIs }) {
  return (takesAnyLoopbackURI ? undefined : redirectURIs[0]) ?? 'http://127.0.0.1:3000/auth/callback';
}

/**
 * @param {Settings} settings
 * @param {string} read reads the secret that is not published from the environment
 */
const secretOf = ({ client }, read) => (client.publishedSecret ? quote(client.publishedSecret) : read);

/** @param {Settings} settings */
function express(settings) {
  const { client, issuer, apiURL, redirectURI, scope } = settings;
  return `clinicianLogin({
  issuer: ${quote(issuer)},
  apiURL: ${quote(apiURL)},
  flow: ${quote(client.flow)},
  clientID: ${quote(client.clientID)},
  clientSecret: ${secretOf(settings, `process.env.${SECRET}`)},
  callbackURL: ${quote(redirectURI)},
  scope: ${quote(scope)},
  secret: process.env.SESSION_SECRET,
});`;
}

/** @param {Settings} settings */
function env({ client, issuer, apiURL, redirectURI, scope }) {
  sessionSecret ??= [...crypto.getRandomValues(new Uint8Array(32))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  return `CLINICIAN_ISSUER=${issuer}
CLINICIAN_API_URL=${apiURL}
CLINICIAN_FLOW=${client.flow}
CLINICIAN_CLIENT_ID=${quote(client.clientID)}
${client.publishedSecret ? '' : '# The secret that you registered:\n'}${SECRET}=${client.publishedSecret ?? ''}
CLINICIAN_SCOPE=${quote(scope)}
${new URL(redirectURI).pathname === '/auth/callback' ? '' : `# clinicianLogin.fromEnv({ callbackURL: ${quote(redirectURI)} })\n`}APP_URL=${new URL(redirectURI).origin}
SESSION_SECRET=${sessionSecret}`;
}

/** @param {Settings} settings */
function authlib(settings) {
  const { client, issuer, apiURL, redirectURI, scope } = settings;
  const isOpenID = client.flow === 'openid';
  const addresses = isOpenID
    ? `    server_metadata_url=${quote(`${issuer}/.well-known/openid-configuration`)},`
    : `    authorize_url=${quote(`${issuer}/oauth/authorize`)},
    access_token_url=${quote(`${issuer}/oauth/token`)},`;
  const more = isOpenID ? '"code_challenge_method": "S256"' : '"token_endpoint_auth_method": "client_secret_post"';
  return `oauth.register(
    name="clinician",
    client_id=${quote(client.clientID)},
    client_secret=${secretOf(settings, `os.environ["${SECRET}"]`)},
${addresses}
    api_base_url=${quote(`${apiURL}/api/v1/`)},
    client_kwargs={"scope": ${quote(scope)}, ${more}},
)
# In the login route:
#     return oauth.clinician.authorize_redirect(${quote(redirectURI)}${isOpenID ? ', nonce=secrets.token_urlsafe(32)' : ''})`;
}

/** @param {Settings} settings */
function spring(settings) {
  const { client, issuer, apiURL, redirectURI, scope } = settings;
  const isOpenID = client.flow === 'openid';
  const provider = isOpenID
    ? `            issuer-uri: ${quote(issuer)}`
    : `            authorization-uri: ${quote(`${issuer}/oauth/authorize`)}
            token-uri: ${quote(`${issuer}/oauth/token`)}
            user-info-uri: ${quote(`${apiURL}/api/v1/users/current`)}
            user-name-attribute: id`;
  const method = isOpenID ? 'client_secret_basic' : 'client_secret_post';
  return `spring:
  security:
    oauth2:
      client:
        registration:
          clinician:
            client-id: ${quote(client.clientID)}
            client-secret: ${secretOf(settings, `\${${SECRET}}`)}
            client-authentication-method: ${method}
            authorization-grant-type: authorization_code
            redirect-uri: ${quote(redirectURI)}
            scope: ${quote(scope.replaceAll(' ', ','))}
        provider:
          clinician:
${provider}
# Java, for this redirect URI${client.requiresPKCE ? ' and PKCE' : ''}:${
    client.requiresPKCE
      ? `
# var resolver = new DefaultOAuth2AuthorizationRequestResolver(registrations, "/oauth2/authorization");
# resolver.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());`
      : ''
  }
# http.oauth2Login(login -> login
#   .redirectionEndpoint(endpoint -> endpoint.baseUri(${quote(new URL(redirectURI).pathname)}))${
    client.requiresPKCE
      ? `
#   .authorizationEndpoint(endpoint -> endpoint.authorizationRequestResolver(resolver))`
      : ''
  });`;
}

/** @param {Settings} settings */
function go(settings) {
  const { client, issuer, redirectURI, scope } = settings;
  const isOpenID = client.flow === 'openid';
  const endpoint = isOpenID
    ? 'endpoint'
    : `oauth2.Endpoint{
		AuthURL:   ${quote(`${issuer}/oauth/authorize`)},
		TokenURL:  ${quote(`${issuer}/oauth/token`)},
		AuthStyle: oauth2.AuthStyleInParams,
	}`;
  const setup = `provider, err := oidc.NewProvider(ctx, ${quote(issuer)})
endpoint := provider.Endpoint()
endpoint.AuthStyle = oauth2.AuthStyleInHeader
`;
  return `${isOpenID ? setup : ''}config := oauth2.Config{
	ClientID:     ${quote(client.clientID)},
	ClientSecret: ${secretOf(settings, `os.Getenv("${SECRET}")`)},
	Endpoint:     ${endpoint},
	RedirectURL:  ${quote(redirectURI)},
	Scopes:       []string{${scope.split(' ').map(quote).join(', ')}},
}${
    isOpenID
      ? `
verifier := oauth2.GenerateVerifier()
url := config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))
// In the callback:
// token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))`
      : '\nurl := config.AuthCodeURL(state)'
  }`;
}

const SNIPPETS = { Express: express, '.env': env, Authlib: authlib, Spring: spring, Go: go };

/** @typedef {keyof typeof SNIPPETS} SnippetName */

export const SNIPPET_NAMES = /** @type {SnippetName[]} */ (Object.keys(SNIPPETS));

/**
 * @returns the configuration of a program that uses a client.
 * @param {SnippetName} name
 * @param {ClientView} client
 * @param {Pick<InspectorView, 'issuer' | 'apiURL'>} addresses
 */
export function snippet(name, client, { issuer, apiURL }) {
  // clinicianLogin() refuses the scope search, which it does not use.
  const scope = client.scope.filter((token) => token !== 'search').join(' ');
  return SNIPPETS[name]({ client, issuer, apiURL, redirectURI: redirectURIOf(client), scope });
}
