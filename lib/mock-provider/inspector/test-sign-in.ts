import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { badRequest } from '../control/control-error.js';
import { type Operation, operation } from '../control/operation.js';
import { digest } from '../http/digest.js';
import { PATHS } from '../http/paths.js';
import { randomToken } from '../http/random.js';
import { isLoopbackHost } from '../http/redirect-uri.js';
import { object, text } from '../options/schema.js';
import type { Client } from '../state/clients.js';

/** How a test sign-in starts. */
export interface TestSignIn {
  /** The login route of the site, or else an authorization request of this page, whose response a correct site rejects. */
  readonly url: string;
  /** The origin of the redirect URI. */
  readonly origin: string;
  /**
   * `starts`: {@link url} is the site's login route. `runs`: the site responds, but has a callback and no login route.
   * `stopped`: nothing listens. `unknown`: the site is on another machine, which is not requested.
   */
  readonly site: 'starts' | 'runs' | 'stopped' | 'unknown';
}

const TIMEOUT_MS = 2_000;

/** The operation of the button: it is not part of the control API, because its result is for a browser. */
export const START_SIGN_IN: Operation = operation<{ clientID: string; redirectURI: string }>({
  method: 'POST',
  path: '/sign-in/start',
  id: 'startSignIn',
  summary: 'The address where a test sign-in starts, and whether the site runs',
  body: object({ clientID: text, redirectURI: text }, {}),
  async run({ clients, issuer }, { body: { clientID, redirectURI } }): Promise<TestSignIn> {
    const client = clients.get(clientID);
    if (client === undefined) throw badRequest(`There is no client ${JSON.stringify(clientID.slice(0, 100))}.`);
    if (!client.acceptsRedirectURI(redirectURI)) {
      throw badRequest(`${clientID} has not registered this redirect URI. Enter a registered one, byte for byte.`);
    }
    const authorizeURL = authorizationRequest(client, redirectURI, issuer);
    const { origin, hostname } = new URL(redirectURI);
    if (!isLoopbackHost(hostname)) return { url: authorizeURL, origin, site: 'unknown' };
    const login = new URL('login', redirectURI).href;
    const response = await locationOf(login);
    if (response === 'refused') return { url: authorizeURL, origin, site: 'stopped' };
    return startsSignIn(response, client, issuer)
      ? { url: login, origin, site: 'starts' }
      : { url: authorizeURL, origin, site: 'runs' };
  },
});

function authorizationRequest(client: Client, redirectURI: string, issuer: string): string {
  const query = new URLSearchParams({
    client_id: client.id,
    response_type: 'code',
    redirect_uri: redirectURI,
    scope: [...client.scope].join(' '),
    state: randomToken(),
    ...(client.flow === 'openid' && { nonce: randomToken() }),
    ...(client.requiresPKCE && { code_challenge: digest(randomToken()), code_challenge_method: 'S256' }),
  });
  return `${issuer}${PATHS.authorize}?${query}`;
}

function startsSignIn(location: string | undefined, client: Client, issuer: string): boolean {
  if (location === undefined || !location.startsWith(`${issuer}${PATHS.authorize}?`)) return false;
  return new URL(location).searchParams.get('client_id') === client.id;
}

/** @returns the redirect of a page view; `refused` when nothing listens. */
function locationOf(url: string): Promise<string | 'refused' | undefined> {
  const get = url.startsWith('https:') ? httpsGet : httpGet;
  const headers = { accept: 'text/html', 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };
  return new Promise((resolve) => {
    const request = get(url, { agent: false, headers, timeout: TIMEOUT_MS }, (response) => {
      resolve(response.headers.location);
      request.destroy();
    });
    request.on('timeout', () => request.destroy());
    // A site with a certificate that this process does not trust listens, too.
    request.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED' ? 'refused' : undefined));
  });
}
