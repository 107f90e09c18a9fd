import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { MockProvider, RegisteredClient } from 'passport-clinician/mock-provider';

const require = createRequire(import.meta.url);
const bundle = readFileSync(
  join(dirname(require.resolve('oidc-client-ts/package.json')), 'dist', 'browser', 'oidc-client-ts.min.js'),
);

/** A site that signs in with oidc-client-ts, in the browser. */
export interface BrowserSite {
  origin: string;
  stop(): void;
}

/** The script of the page. Tests call `manager` and read `events` and `replies`. */
function script(provider: MockProvider, clientID: string): string {
  return `
    const settings = {
      authority: ${JSON.stringify(provider.issuer)},
      client_id: ${JSON.stringify(clientID)},
      redirect_uri: origin + '/callback',
      silent_redirect_uri: origin + '/callback',
      post_logout_redirect_uri: origin + '/bye',
      scope: 'openid basic',
      metadataSeed: { token_endpoint: origin + '/token', revocation_endpoint: origin + '/revoke' },
      loadUserInfo: true,
      automaticSilentRenew: false,
      monitorSession: window === top,
      checkSessionIntervalInSeconds: 0.1,
      silentRequestTimeoutInSeconds: 2,
    };
    const manager = new oidc.UserManager(settings);
    const [events, replies] = [[], []];
    manager.events.addUserSignedOut(() => events.push('signed out'));
    manager.events.addUserSessionChanged(() => events.push('session changed'));
    addEventListener('message', ({ origin, data }) => origin === settings.authority && replies.push(data));
    const show = (text) => { document.querySelector('h1').textContent = text; };
    const routes = {
      '/callback': async () => {
        await manager.signinCallback();
        history.replaceState(null, '', '/');
        show('Signed in');
      },
      '/bye': async () => show('Signed out with state: ' + (await manager.signoutCallback()).userState),
    };
    routes[location.pathname]?.().catch((error) => show(String(error)));
    for (const method of ['signinRedirect', 'signoutRedirect']) {
      document.getElementById(method).onclick = () => manager[method]({ state: 'from the button' });
    }`;
}

function page(provider: MockProvider, clientID: string): string {
  return `<!doctype html><html lang="en"><title>A site</title><link rel="icon" href="data:,">
    <h1>Welcome</h1><button id="signinRedirect">Sign in</button><button id="signoutRedirect">Sign out</button>
    <script src="/oidc-client-ts.js"></script><script>${script(provider, clientID)}</script></html>`;
}

/** Forwards a request: the token and revocation endpoints need the client secret, and do not allow CORS. */
async function forward(
  req: IncomingMessage,
  res: ServerResponse,
  endpoint: string,
  client: RegisteredClient,
): Promise<void> {
  const basic = Buffer.from(`${client.clientID}:${client.clientSecret}`).toString('base64');
  const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' };
  const response = await fetch(endpoint, { method: 'POST', headers, body: await text(req) });
  res.writeHead(response.status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  res.end(await response.text());
}

/** Starts the site on a free port and registers its client. */
export async function startBrowserSite(provider: MockProvider): Promise<BrowserSite> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = provider.registerClient({
    flow: 'openid',
    scope: 'openid basic',
    redirectURIs: [`${origin}/callback`],
    postLogoutRedirectURIs: [`${origin}/bye`],
  });
  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const isPost = req.method === 'POST';
    if (isPost && req.url === '/token') return forward(req, res, `${provider.issuer}/oauth/token`, client);
    if (isPost && req.url === '/revoke') return forward(req, res, `${provider.issuer}/oauth/revoke`, client);
    const isScript = req.url === '/oidc-client-ts.js';
    res.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    res.end(isScript ? bundle : page(provider, client.clientID));
  };
  server.on('request', (req, res) => void handle(req, res));
  return { origin, stop: () => server.close().closeAllConnections() };
}
