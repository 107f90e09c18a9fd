import supertest from 'supertest';
import {
  FAULTS,
  type FaultName,
  type FaultOptions,
  type MockProvider,
} from '../../../lib/mock-provider/mock-provider.js';
import type { PeerSite } from './peer-site.js';
import type { Peer } from './peers.js';

/** A fault as it is let loose on every peer. */
export interface Trial {
  fault: FaultName;
  options?: FaultOptions;
  /** Every time, not once. */
  always?: boolean;
  /** At the second sign-in: by then the site knows the keys. */
  isSecond?: boolean;
}

/** What came of it. */
export interface Result {
  what: 'signed in' | 'refused' | 'crashes' | 'hangs' | 'not asked';
  /** Of the page at the end. */
  status?: number;
}

/** Three times the time limit that those have who have one. */
const LONGEST = 7_500;
const MOST_REDIRECTS = 5;

type Agent = ReturnType<typeof supertest.agent>;

/** Goes where the site sends it, as long as that is to the site. */
async function follow(agent: Agent, path: string, origin: string): Promise<supertest.Response> {
  let response = await agent.get(path).redirects(0);
  for (let count = 0; count < MOST_REDIRECTS && response.headers.location; count += 1) {
    const next = new URL(response.headers.location, origin);
    if (next.origin !== origin) break;
    response = await agent.get(next.pathname + next.search).redirects(0);
  }
  return response;
}

/** Signs in by the real redirects. */
async function walk(peer: Peer, { origin }: PeerSite, provider: MockProvider): Promise<Result> {
  const agent = supertest.agent(origin);
  const leaving = await (peer.begin?.(agent, origin) ?? agent.get(peer.loginPath).redirects(0));
  const { location } = leaving.headers;
  if (!location?.startsWith(provider.issuer)) return { what: 'refused', status: leaving.status };
  const callback = new URL(await provider.signIn(location, { as: 'verified' }));
  const { status } = await follow(agent, callback.pathname + callback.search, origin);
  const me = await agent.get('/me').set('Accept', 'application/json');
  const isSignedIn = me.status === 200 && (me.body.isSignedIn ?? me.body.isAuthenticated) === true;
  return { what: isSignedIn ? 'signed in' : 'refused', status: status < 400 ? me.status : status };
}

function later<T>(milliseconds: number, value: T): { promise: Promise<T>; cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, milliseconds, value);
  });
  return { promise, cancel: () => clearTimeout(timer) };
}

/** Lets one fault loose on one site, made anew. */
export async function attempt(peer: Peer, site: PeerSite, provider: MockProvider, trial: Trial): Promise<Result> {
  const { fault, options, always = false, isSecond = false } = trial;
  const userinfo = options?.endpoint === '/oauth/userinfo' || fault.startsWith('userinfo');
  const letLoose = () => provider.faults[always ? 'always' : 'next'](fault, options);
  provider.reset();
  if (!isSecond) letLoose();
  await site.make({ userinfo });
  if (isSecond) {
    await walk(peer, site, provider);
    letLoose();
  }

  const crashed = site.gone().then((): Result => ({ what: 'crashes' }));
  const tooLong = later<Result>(LONGEST, { what: 'hangs' });
  const walked = walk(peer, site, provider).catch(async (error: unknown): Promise<Result> => {
    // The connection breaks before the process is known to be gone.
    const result = await Promise.race([crashed, tooLong.promise]);
    if (result.what === 'crashes') return result;
    throw error;
  });
  const result = await Promise.race([walked, crashed, tooLong.promise]);
  tooLong.cancel();
  if (result.what === 'hangs') await site.stop();
  if (hasStruck(provider, trial)) return result;
  if (result.what === 'signed in') return { what: 'not asked' };
  throw new Error(`${peer.title} without ${fault}: ${result.what}, ${result.status}`);
}

/** A fault that strikes every time goes on waiting, so there the requests tell. */
function hasStruck({ faults, requests }: MockProvider, { fault, options, always }: Trial): boolean {
  if (!always) return faults.queued.length === 0;
  const endpoint = options?.endpoint ?? FAULTS[fault].endpoint;
  return requests.some(({ path }) => path === endpoint);
}
