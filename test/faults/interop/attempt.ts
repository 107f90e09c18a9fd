import { setTimeout } from 'node:timers/promises';
import supertest from 'supertest';
import {
  FAULTS,
  type FaultName,
  type FaultOptions,
  type MockProvider,
} from '../../../lib/mock-provider/mock-provider.js';
import type { Library } from './libraries.js';
import type { LibrarySite } from './library-site.js';

/** A fault that is applied to a sign-in with each library. */
export interface Trial {
  fault: FaultName;
  options?: FaultOptions;
  /** True to apply it every time. */
  always?: boolean;
  /** True to apply it at the second sign-in, when the site has cached the keys. */
  isSecond?: boolean;
}

export interface Result {
  outcome: 'signed in' | 'refused' | 'crashes' | 'hangs' | 'not requested';
  /** Of the last page. */
  status?: number;
}

/** The limit for a sign-in in which the fault does not apply. */
const MAX_UNAPPLIED_MS = 60_000;
const POLL_MS = 50;
const MAX_REDIRECTS = 5;

type Agent = ReturnType<typeof supertest.agent>;

/** Follows the redirects within the site. */
async function followRedirects(agent: Agent, path: string, origin: string): Promise<supertest.Response> {
  let response = await agent.get(path).redirects(0);
  for (let count = 0; count < MAX_REDIRECTS && response.headers.location; count += 1) {
    const next = new URL(response.headers.location, origin);
    if (next.origin !== origin) break;
    response = await agent.get(next.pathname + next.search).redirects(0);
  }
  return response;
}

/** Signs in with the redirects of the site and the provider. */
async function signIn(library: Library, { origin }: LibrarySite, provider: MockProvider): Promise<Result> {
  const agent = supertest.agent(origin);
  const redirect = await (library.begin?.(agent, origin) ?? agent.get(library.loginPath).redirects(0));
  const { location } = redirect.headers;
  if (!location?.startsWith(provider.issuer)) return { outcome: 'refused', status: redirect.status };
  const callback = new URL(await provider.signIn(location, { as: 'verified' }));
  const { status } = await followRedirects(agent, callback.pathname + callback.search, origin);
  const me = await agent.get('/me').set('Accept', 'application/json');
  const isSignedIn = me.status === 200 && (me.body.isSignedIn ?? me.body.isAuthenticated) === true;
  return { outcome: isSignedIn ? 'signed in' : 'refused', status: status < 400 ? me.status : status };
}

/** Reports a hang some time after the fault was applied, so that a slow machine is not reported as a hang. */
async function hang(provider: MockProvider, trial: Trial, timeoutMs: number, signal: AbortSignal): Promise<Result> {
  const end = Date.now() + MAX_UNAPPLIED_MS;
  while (!isApplied(provider, trial) && Date.now() < end) await setTimeout(POLL_MS, undefined, { signal });
  return setTimeout(3 * timeoutMs, { outcome: 'hangs' }, { signal });
}

/**
 * Signs in at a new site while a fault applies.
 * @param timeoutMs the timeout of the libraries that have one
 */
export async function attempt(
  library: Library,
  site: LibrarySite,
  provider: MockProvider,
  trial: Trial,
  timeoutMs: number,
): Promise<Result> {
  const { fault, options, always = false, isSecond = false } = trial;
  const userinfo = options?.endpoint === '/oauth/userinfo' || fault.startsWith('userinfo');
  const queueFault = () => provider.faults[always ? 'always' : 'next'](fault, options);
  provider.reset();
  if (!isSecond) queueFault();
  await site.create({ userinfo, timeoutMs });
  if (isSecond) {
    await signIn(library, site, provider);
    queueFault();
  }

  const crash = site.exited().then((): Result => ({ outcome: 'crashes' }));
  const abort = new AbortController();
  const hanging = hang(provider, trial, timeoutMs, abort.signal);
  const signedIn = signIn(library, site, provider).catch(async (error: unknown): Promise<Result> => {
    // The connection closes before the exit of the process is reported.
    const result = await Promise.race([crash, hanging]);
    if (result.outcome === 'crashes') return result;
    throw error;
  });
  const result = await Promise.race([signedIn, crash, hanging]);
  hanging.catch(() => undefined);
  abort.abort();
  if (result.outcome === 'hangs') await site.stop();
  if (isApplied(provider, trial)) return result;
  if (result.outcome === 'signed in') return { outcome: 'not requested' };
  throw new Error(`${library.title}: ${result.outcome}, ${result.status}, although ${fault} was not applied`);
}

/** Checks the recorded requests for a fault that applies every time, because it remains in the queue. */
function isApplied({ faults, requests }: MockProvider, { fault, options, always }: Trial): boolean {
  if (!always) return faults.queued.length === 0;
  const endpoint = options?.endpoint ?? FAULTS[fault].endpoint;
  return requests.some(({ path }) => path === endpoint);
}
