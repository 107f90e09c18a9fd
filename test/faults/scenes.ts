import type { FaultName, FaultOptions, FlowName, MockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { type FaultySite, faultySiteFor } from './faulty-site.js';

/** What a person is about while the service goes wrong. */
export type Scene = 'start' | 'sign-in' | 'twice' | 'refresh' | 'profile' | 'verified' | 'colleagues' | 'logout';

/** Faults that the site waits for in vain. */
const SILENT: readonly FaultName[] = ['noResponse', 'stalledAnswer'];

/** A fault, and where it strikes. */
export interface Strike {
  fault: FaultName;
  scene: Scene;
  flow: FlowName;
  options?: FaultOptions;
  always?: boolean;
  /** Where the sign-in begins. */
  loginPath?: string;
}

/** What came of it. */
export interface Seen {
  /** Of the page that the person got. */
  status: number;
  /** The code that the site reported, the last one where one followed from another. */
  code: string | undefined;
  page: string;
  isSignedIn: boolean;
  /** Whether tokens were revoked at the service. */
  isRevoked: boolean;
  hasStruck: boolean;
  site: FaultySite;
}

const HERE = 'http://127.0.0.1:3000';

interface Page {
  status: number;
  text: string;
}

/** Scenes that begin signed out. */
export const SIGNING_IN: readonly Scene[] = ['start', 'sign-in', 'twice'];

const PATHS: Partial<Record<Scene, string>> = {
  start: '/auth/login',
  refresh: '/profile',
  profile: '/profile',
  verified: '/notes',
  colleagues: '/colleagues',
};

function logIn({ agent }: FaultySite, provider: MockProvider, loginPath = '/auth/login'): Promise<Page> {
  return signIn(agent as never, provider, { as: 'verified', loginPath }) as Promise<Page>;
}

/** Comes back from the service twice. @returns what comes of the second time */
async function comeBackTwice({ agent }: FaultySite, provider: MockProvider): Promise<Page> {
  const leaving = await agent.get('/auth/login').redirects(0);
  const callback = new URL(await provider.signIn(leaving.headers.location as string, { as: 'verified' }));
  await agent.get(callback.pathname + callback.search).redirects(0);
  return agent.get(callback.pathname + callback.search).redirects(1);
}

/** Signs out here, goes on to the service where that is the way, and comes back. */
async function logOut({ agent }: FaultySite, provider: MockProvider): Promise<Page> {
  const leaving = await agent.post('/auth/logout').set('Sec-Fetch-Site', 'same-origin').redirects(0);
  let next = new URL(leaving.headers.location as string, HERE);
  if (next.href.startsWith(provider.issuer)) {
    next = new URL((await provider.fetch(next.href)).headers.get('location') as string);
  }
  return agent.get(next.pathname + next.search).redirects(0);
}

/** Does what the scene is about. */
function act(site: FaultySite, provider: MockProvider, { scene, loginPath }: Strike): PromiseLike<Page> {
  if (scene === 'sign-in') return logIn(site, provider, loginPath);
  if (scene === 'twice') return comeBackTwice(site, provider);
  if (scene === 'logout') return logOut(site, provider);
  return site.agent.get(PATHS[scene] as string).redirects(0);
}

export async function isSignedIn({ agent }: FaultySite): Promise<boolean> {
  return (await agent.get('/me').set('Accept', 'application/json')).status === 200;
}

/** Lets a fault strike in a scene. */
export async function play(provider: MockProvider, strike: Strike): Promise<Seen> {
  const { fault, scene, flow, options, always } = strike;
  const site = faultySiteFor(provider, flow);
  if (!SIGNING_IN.includes(scene)) await logIn(site, provider);
  // The access token has ended, or what was known of the person is too old.
  if (scene === 'refresh') provider.clock.advance('2 hours');
  if (scene === 'verified') provider.clock.advance('6 minutes');
  // So that the profile is sent anew, and not only said to be the same.
  if (PATHS[scene] !== undefined) provider.clinicians.update('verified', { city: 'Elsewhere' });
  site.reported();
  const asked = provider.requests.length;

  provider.faults[always ? 'always' : 'next'](fault, options);
  const unanswered = SILENT.includes(fault) ? options?.endpoint : undefined;
  const { status, text: page } = await site.impatiently(unanswered, () => act(site, provider, strike));
  const hasStruck = provider.faults.queued.length === 0 || always === true;
  provider.faults.clear();

  const since = provider.requests.slice(asked);
  const isRevoked = since.some((request) => request.path === '/oauth/revoke' && request.status === 200);
  return { status, page, code: site.reported().at(-1), isSignedIn: await isSignedIn(site), isRevoked, hasStruck, site };
}

/** @returns the status of the page that comes of trying the same again. */
export async function tryAgain({ agent }: FaultySite, scene: Scene): Promise<number> {
  return (await agent.get(PATHS[scene] as string).redirects(0)).status;
}

/** @returns whether the person can sign in after all that, in the same browser. */
export async function canSignInAgain(site: FaultySite, provider: MockProvider): Promise<boolean> {
  await logIn(site, provider);
  return isSignedIn(site);
}
