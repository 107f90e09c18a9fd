import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider that is not the mock: oidc-provider with the requirements of the service's openid flow. */
export interface OtherProvider {
  issuer: string;
  clientID: string;
  clientSecret: string;
  stop(): Promise<void>;
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

function configuration(clientID: string, clientSecret: string, callbackURL: string): Record<string, unknown> {
  return {
    clients: [
      {
        client_id: clientID,
        client_secret: clientSecret,
        redirect_uris: [callbackURL],
        response_types: ['code'],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_basic',
        id_token_signed_response_alg: 'RS256',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'other', use: 'sig', alg: 'RS256' }] },
    pkce: { required: () => true },
    cookies: { keys: [randomUUID()] },
    features: { revocation: { enabled: true } },
    issueRefreshToken: async () => true,
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  };
}

/** Starts the provider on a free port. The client secret has characters that form-encoding changes. */
export async function startOtherProvider(callbackURL: string): Promise<OtherProvider> {
  let handler: (req: IncomingMessage, res: ServerResponse) => unknown = () => undefined;
  const server = createServer((req, res) => void handler(req, res));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientID, clientSecret] = ['a-clinic', 'with-a:colon+plus%and space'];
  const restoreConsole = muteConsole();
  const { default: Provider } = await import('oidc-provider');
  handler = new Provider(issuer, configuration(clientID, clientSecret, callbackURL)).callback();
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    restoreConsole();
  };
  return { issuer, clientID, clientSecret, stop };
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
