import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider that is not the mock: oidc-provider with the requirements of the service's openid flow. */
export interface OtherProvider extends AsyncDisposable {
  issuer: string;
  clientID: string;
  clientSecret: string;
  /** The origin of the site's pages. The provider redirects to its `/auth/logged-out` after a logout. */
  postLogoutRedirectURI: string;
}

/** What differs from that. */
export interface OtherProviderOptions {
  clientSecret?: string;
  /** @default client_secret_basic */
  authMethod?: 'client_secret_basic' | 'client_secret_post';
  /** Members of the configuration that replace others. */
  configuration?: Record<string, unknown>;
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

function configuration(client: Record<string, unknown>, isStrict: boolean): Record<string, unknown> {
  return {
    clients: [
      {
        ...client,
        response_types: ['code'],
        grant_types: ['authorization_code', 'refresh_token'],
        id_token_signed_response_alg: 'RS256',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'other', use: 'sig', alg: 'RS256' }] },
    pkce: { required: () => isStrict },
    scopes: ['openid', 'offline_access', 'basic'],
    cookies: { keys: [randomUUID()] },
    features: { revocation: { enabled: true }, rpInitiatedLogout: { enabled: true, logoutSource } },
    issueRefreshToken: async () => true,
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  };
}

/** The page that asks whether to sign out, with the answer as a field of its form. */
async function logoutSource(context: { body: string }, form: string): Promise<void> {
  context.body = form.replace('</form>', '<input type="hidden" name="logout" value="yes"/></form>');
}

/** Starts the provider on a free port. By default the client secret has characters that form-encoding changes. */
export async function startOtherProvider(
  callbackURL: string,
  options: OtherProviderOptions = {},
): Promise<OtherProvider> {
  const { clientSecret = 'with-a:colon+plus%and space', authMethod = 'client_secret_basic' } = options;
  let handler: (req: IncomingMessage, res: ServerResponse) => unknown = () => undefined;
  const server = createServer((req, res) => void handler(req, res));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientID = 'a-clinic';
  const postLogoutRedirectURI = new URL('/auth/logged-out', callbackURL).href;
  const restoreConsole = muteConsole();
  const { default: Provider } = await import('oidc-provider');
  const client = {
    client_id: clientID,
    client_secret: clientSecret,
    redirect_uris: [callbackURL],
    post_logout_redirect_uris: [postLogoutRedirectURI],
    token_endpoint_auth_method: authMethod,
  };
  const isStrict = authMethod === 'client_secret_basic';
  handler = new Provider(issuer, { ...configuration(client, isStrict), ...options.configuration }).callback();
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    restoreConsole();
  };
  return { issuer, clientID, clientSecret, postLogoutRedirectURI, [Symbol.asyncDispose]: stop };
}

/** oidc-provider warns of its development pages and default lifetimes, which this test uses. */
function muteConsole(): () => void {
  const { info, warn } = console;
  console.info = () => undefined;
  console.warn = () => undefined;
  return () => {
    console.info = info;
    console.warn = warn;
  };
}
