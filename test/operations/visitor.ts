import { BrowserUser } from '../helpers/browser-user.js';

/** A response of the site to a user. */
export interface Exchange {
  username: string;
  method: string;
  path: string;
  /** 0 where the connection was closed without a response. */
  status: number;
  ms: number;
  result: 'served' | 'unavailable' | 'signed out' | 'error';
}

interface Site {
  url: string;
  send(request: Request): Promise<Response>;
}

const FIELDS = { password: 'clinician', decision: 'approve' };

/** A user of the site in a browser, who notes every response of the site. */
export class Visitor {
  readonly username: string;
  readonly #url: string;
  readonly #browser: BrowserUser;

  constructor(username: string, site: Site, note: (exchange: Exchange) => void) {
    this.username = username;
    this.#url = site.url;
    this.#browser = new BrowserUser(undefined, async (request) => {
      const { method, url } = request;
      const start = performance.now();
      let response: Response | undefined;
      try {
        response = await site.send(request);
        return response;
      } finally {
        const { origin, pathname: path } = new URL(url);
        const ms = performance.now() - start;
        const status = response?.status ?? 0;
        const location = response?.headers.get('location') ?? '';
        const result = resultOf(status, path, location);
        if (origin === site.url) note({ username, method, path, status, ms, result });
      }
    });
  }

  /** Signs in through the pages of the provider. @returns true when the protected page is shown */
  async signIn(): Promise<boolean> {
    const fields = { ...FIELDS, username: this.username };
    const page = await this.#browser.visit(`${this.#url}/auth/login?returnTo=/notes`, fields);
    return page.status === 200 && page.url.pathname === '/notes';
  }

  /** Starts a sign-in. @returns a function that completes it */
  async startSignIn(returnTo = '/notes'): Promise<() => Promise<boolean>> {
    const address = `${this.#url}/auth/login?returnTo=${encodeURIComponent(returnTo)}`;
    const { headers } = await this.#browser.get(address, { 'sec-fetch-site': 'same-origin' });
    const authorizationRequest = headers.get('location') ?? '';
    return async () => {
      const page = await this.#browser.visit(authorizationRequest, { ...FIELDS, username: this.username });
      return page.status === 200 && page.url.pathname === '/notes';
    };
  }

  /** Opens a page, without following a redirect. @returns its status, 0 for no response */
  async open(path: string): Promise<number> {
    return await this.#browser.get(this.#url + path).then(
      ({ status }) => status,
      () => 0,
    );
  }

  /** Submits a form of the site. @returns the status, 0 for no response */
  async submit(path: string): Promise<number> {
    return await this.#browser.post(this.#url + path).then(
      ({ status }) => status,
      () => 0,
    );
  }
}

function resultOf(status: number, path: string, location: string): Exchange['result'] {
  const isSignInPath = path.startsWith('/auth/');
  if (!isSignInPath && (status === 401 || location.startsWith('/auth/login'))) return 'signed out';
  if (status >= 200 && status < 400) return 'served';
  return status === 503 ? 'unavailable' : 'error';
}
