import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider that nobody here wrote, set up with what the service demands of the `openid` flow. */
export interface ForeignProvider {
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
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'foreign', use: 'sig', alg: 'RS256' }] },
    pkce: { required: () => true },
    cookies: { keys: [randomUUID()] },
    features: { revocation: { enabled: true } },
    issueRefreshToken: async () => true,
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  };
}

/** Starts it on a port of its own. Its clients' secrets hold what form-encoding changes. */
export async function startForeignProvider(callbackURL: string): Promise<ForeignProvider> {
  let handler: (req: IncomingMessage, res: ServerResponse) => unknown = () => undefined;
  const server = createServer((req, res) => void handler(req, res));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientID, clientSecret] = ['a-clinic', 'with-a:colon+plus%and space'];
  const aloud = mute();
  const { default: Provider } = await import('oidc-provider');
  handler = new Provider(issuer, configuration(clientID, clientSecret, callbackURL)).callback();
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    aloud();
  };
  return { issuer, clientID, clientSecret, stop };
}

/** It warns, through and through, of its development pages and default lifetimes, which are what is wanted here. */
function mute(): () => void {
  const { info, warn } = console;
  console.info = () => undefined;
  console.warn = () => undefined;
  return () => {
    console.info = info;
    console.warn = warn;
  };
}
