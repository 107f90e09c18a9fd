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

/** A site all of whose login is in the browser, by oidc-client-ts. */
export interface BrowserSite {
  origin: string;
  stop(): void;
}

/** What runs in the page: `manager` for the test to use, `events` and `replies` for it to see. */
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
    };
    const manager = new oidc.UserManager(settings);
    const [events, replies] = [[], []];
    manager.events.addUserSignedOut(() => events.push('signed out'));
    manager.events.addUserSessionChanged(() => events.push('session changed'));
    addEventListener('message', ({ origin, data }) => origin === settings.authority && replies.push(data));
    const say = (words) => { document.querySelector('h1').textContent = words; };
    const ways = {
      '/callback': async () => {
        await manager.signinCallback();
        history.replaceState(null, '', '/');
        say('Signed in');
      },
      '/bye': async () => say('Signed out, ' + (await manager.signoutCallback()).userState),
    };
    ways[location.pathname]?.().catch((error) => say(String(error)));
    for (const way of ['signinRedirect', 'signoutRedirect']) {
      document.getElementById(way).onclick = () => manager[way]({ state: 'as before' });
    }`;
}

function page(provider: MockProvider, clientID: string): string {
  return `<!doctype html><html lang="en"><title>A site</title><link rel="icon" href="data:,">
    <h1>Welcome</h1><button id="signinRedirect">Go to the provider</button><button id="signoutRedirect">Leave</button>
    <script src="/oidc-client-ts.js"></script><script>${script(provider, clientID)}</script></html>`;
}

/** The token and revocation endpoints are not for browsers: no CORS, and a secret. So the site's server asks them. */
async function passOn(
  req: IncomingMessage,
  res: ServerResponse,
  endpoint: string,
  client: RegisteredClient,
): Promise<void> {
  const basic = Buffer.from(`${client.clientID}:${client.clientSecret}`).toString('base64');
  const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await fetch(endpoint, { method: 'POST', headers, body: await text(req) });
  res.writeHead(answer.status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  res.end(await answer.text());
}

/** Starts the site, on a port of its own, and registers it. */
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
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const isPost = req.method === 'POST';
    if (isPost && req.url === '/token') return passOn(req, res, `${provider.issuer}/oauth/token`, client);
    if (isPost && req.url === '/revoke') return passOn(req, res, `${provider.issuer}/oauth/revoke`, client);
    const isScript = req.url === '/oidc-client-ts.js';
    res.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    res.end(isScript ? bundle : page(provider, client.clientID));
  };
  server.on('request', (req, res) => void answer(req, res));
  return { origin, stop: () => server.close().closeAllConnections() };
}
