import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserUser } from '../helpers.js';
import type { Deployment } from './deployment.js';

const MAX_RESPONSE_MS = 15_000;
const MAX_ATTEMPTS = 20;
const ATTEMPT_INTERVAL_MS = 100;

interface Page {
  /** 0 for a closed connection. */
  status: number;
  /** The user that the page is for: null for a user who is not signed in, undefined for a page of no user. */
  id: string | null | undefined;
}

/** Requests pages and records what must not happen. */
export interface Observer {
  readonly violations: readonly string[];
  report(violation: string): void;
  /** @returns the result, or undefined for a failure; a violation where it takes too long */
  inTime<T>(what: string, action: Promise<T>): Promise<T | undefined>;
  get(url: string, cookie: string): Promise<Page>;
  /** A violation where the id is that of another user. */
  checkIdentity(what: string, name: string, id: string | null | undefined): void;
  /** @returns true when the user is signed in; a violation where the processes disagree */
  isSignedIn(what: string, name: string, user: BrowserUser): Promise<boolean>;
}

export function createObserver({ provider, processURLs }: Deployment): Observer {
  const violations: string[] = [];

  /** Requests a page that every user gets, again while a process or the database does not respond, as on a slow machine. */
  async function availablePage(url: string, cookie: string): Promise<Page> {
    let page = await observer.get(url, cookie);
    for (let attempt = 1; page.status !== 200 && attempt < MAX_ATTEMPTS; attempt += 1) {
      await sleep(ATTEMPT_INTERVAL_MS);
      page = await observer.get(url, cookie);
    }
    return page;
  }

  const observer: Observer = {
    violations,
    report: (violation) => void violations.push(violation),

    async inTime(what, action) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => {
          violations.push(`${what} got no response within ${MAX_RESPONSE_MS} ms`);
          resolve(undefined);
        }, MAX_RESPONSE_MS);
      });
      const result = await Promise.race([action.catch(() => undefined), late]);
      clearTimeout(timer);
      return result;
    },

    async get(url, cookie) {
      const request = fetch(url, { headers: { cookie, accept: 'application/json' } }).then(async (response) => {
        const { id } = (await response.json()) as { id?: string | null };
        return { status: response.status, id: response.status === 200 ? id : undefined };
      });
      return (await observer.inTime(url, request)) ?? { status: 0, id: undefined };
    },

    checkIdentity(what, name, id) {
      const { sub, id: profileID } = provider.clinicians.get(name);
      const isOwn = id === sub || id === String(profileID);
      if (typeof id === 'string' && !isOwn) violations.push(`${what}: ${name} is signed in as ${id}`);
    },

    async isSignedIn(what, name, user) {
      const { cookie = '' } = user.navigation;
      const pages: Page[] = [];
      // The first round lets a process that has ended the login remove it from the session.
      for (const url of [...processURLs, ...processURLs]) pages.push(await availablePage(`${url}/me`, cookie));
      for (const { id } of pages) observer.checkIdentity(what, name, id);
      const results = pages.slice(processURLs.length).map(({ id }) => typeof id === 'string');
      if (new Set(results).size > 1) violations.push(`${what}: the processes disagree whether ${name} is signed in`);
      return results[0] === true;
    },
  };
  return observer;
}
