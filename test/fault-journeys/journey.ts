import type { ClinicianEvent } from '../../lib/index.js';
import { FAULTS, type FaultName, type RecordedRequest } from '../../lib/mock-provider/mock-provider.js';
import { BrowserUser } from '../helpers.js';
import type { Deployment } from './deployment.js';
import { type Disturbance, disturb, drawDisturbance, type Step } from './disturbance.js';
import { createObserver, type Observer } from './observer.js';
import { createRandom, type Random } from './random.js';

/** Longer than an access token is valid, and than every back-off. */
const HOUR_MS = 61 * 60 * 1000;
const MAX_ATTEMPTS = 5;
const SIGN_OUT_PROBABILITY = 0.3;
/** Faults that refuse a token, although they do not process the request. */
const REFUSALS: readonly string[] = ['refreshRefused', 'accessTokenRefused'];

/** Faults whose response does not arrive within the time limit of the site, on any machine. */
const WITHOUT_RESPONSE: readonly (string | undefined)[] = ['noResponse', 'stalledResponse', 'delay'];

/** Faults of a sign-in whose tokens cannot be refreshed: there is no refresh token, or a refresh exceeds the scope. */
const NOT_REFRESHABLE: readonly string[] = ['missingRefreshToken', 'wrongScope'];

/** A user who signed in, in a browser. */
interface SignedInUser {
  name: string;
  user: BrowserUser;
  /** The fault during the sign-in. */
  fault: FaultName | undefined;
}

export interface JourneyResult {
  /** What the site did wrong. */
  violations: readonly string[];
  /** What failed in each step. */
  disturbances: readonly string[];
}

/** @returns a function that runs one journey; some users of earlier journeys come back in later ones */
export function createJourneys(
  deployment: Deployment,
  names: readonly string[],
): (seed: number) => Promise<JourneyResult> {
  const earlier: SignedInUser[] = [];

  return async (seed) => {
    const random = createRandom(seed);
    const observer = createObserver(deployment);
    const journey = new Journey(deployment, observer, random);
    const signedIn = await journey.signIn(random.pick(names));
    if (signedIn) {
      await journey.refresh(signedIn);
      if (random.chance(SIGN_OUT_PROBABILITY)) await journey.signOut(signedIn);
      else if (earlier.push(signedIn) > names.length) earlier.shift();
    }
    if (earlier.length > 0) {
      const { name, user } = random.pick(earlier);
      await observer.isSignedIn('a user who comes back', name, user);
    }
    return { violations: observer.violations, disturbances: journey.disturbances };
  };
}

/** The steps of one user, with a disturbance in each. */
class Journey {
  readonly disturbances: string[] = [];
  readonly #deployment: Deployment;
  readonly #observer: Observer;
  readonly #random: Random;

  constructor(deployment: Deployment, observer: Observer, random: Random) {
    this.#deployment = deployment;
    this.#observer = observer;
    this.#random = random;
  }

  /** Signs in, and again without a disturbance where that failed. */
  async signIn(name: string): Promise<SignedInUser | undefined> {
    const { provider, url, advance } = this.#deployment;
    const { inTime, isSignedIn, report } = this.#observer;
    const user = new BrowserUser(provider);
    const visit = () => inTime('the sign-in', user.visit(`${url}/auth/login?returnTo=/me`, { username: name }));

    const { fault } = await this.#disturbed('sign-in', false, visit);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      if (await isSignedIn('after the sign-in', name, user)) return { name, user, fault };
      await advance(HOUR_MS);
      await visit();
    }
    report(`${name} cannot sign in again`);
    return undefined;
  }

  /** Requests pages of both processes at once, with an expired access token. */
  async refresh({ name, user, fault: signInFault }: SignedInUser): Promise<void> {
    const { provider, processURLs, advance, events } = this.#deployment;
    const { get, checkIdentity, report } = this.#observer;
    const { cookie = '' } = user.navigation;
    const profile = async (processURL: string): Promise<number> => {
      const { status, id } = await get(`${processURL}/profile`, cookie);
      checkIdentity('a profile', name, id);
      return status;
    };

    await advance(HOUR_MS);
    await events();
    const before = provider.requests.at(-1)?.number ?? 0;
    const parallel = () => Promise.all([...processURLs, ...processURLs].map(profile));
    const disturbance = await this.#disturbed('refresh', signInFault === undefined, parallel);
    const requests = provider.requests.filter(({ number }) => number > before);
    const refreshes = requests.filter(isRefresh).length;
    const refusals = requests.filter(({ path, status }) => path.startsWith('/api/') && status === 401).length;
    if (refreshes > 1 + refusals) report(`${refreshes} refreshes for one expired token`);

    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const status = await profile(this.#random.pick(processURLs));
      if (status === 200) return;
      if (status === 401) {
        const isRefreshable = signInFault === undefined || !NOT_REFRESHABLE.includes(signInFault);
        const reported = await events();
        const isExpected = !isRefreshable || isMachineSlow(reported, provider.requests, before);
        const problem = lossProblem(disturbance, refreshes, reported);
        if (problem !== undefined && !isExpected) report(`the grant is lost, and ${problem}`);
        return;
      }
      await advance(HOUR_MS);
    }
    report(`the profile of ${name} is not available again`);
  }

  async signOut({ name, user }: SignedInUser): Promise<void> {
    const { provider, url, processURLs } = this.#deployment;
    const { inTime, get, report } = this.#observer;
    const { cookie: oldCookie = '' } = user.navigation;
    let status: number | undefined;
    const { outage } = await this.#disturbed('sign-out', true, async () => {
      const response = await inTime('the sign-out', user.post(`${url}/auth/logout`));
      status = response?.status;
      if (response?.status !== 200) return;
      const next = ((await response.json()) as { url: string }).url;
      if (next.startsWith(provider.issuer)) await inTime('the sign-out at the service', fetch(next));
    });
    if (status !== 200) {
      // During an outage the site reports the failure, and the user remains signed in.
      if (outage === undefined) report(`the sign-out responded ${status}`);
      return;
    }
    for (const processURL of processURLs) {
      const { id } = await get(`${processURL}/me`, oldCookie);
      if (typeof id === 'string') report(`${name} is signed in after the sign-out`);
    }
  }

  async #disturbed(step: Step, isUserKnown: boolean, action: () => Promise<unknown>): Promise<Disturbance> {
    const disturbance = drawDisturbance(this.#random, step, isUserKnown);
    const { fault, options, outage } = disturbance;
    const parts = [fault && `${fault} ${options.endpoint}`, outage].filter(Boolean);
    if (parts.length > 0) this.disturbances.push(`${step}: ${parts.join(' + ')}`);
    const repair = disturb(this.#deployment, disturbance, this.#random);
    await action();
    await repair();
    return disturbance;
  }
}

/** @returns true for a refresh that the provider has processed */
function isRefresh({ form, status, fault }: RecordedRequest): boolean {
  const isProcessed = fault === undefined || FAULTS[fault as FaultName].kind !== 'failure';
  return form.grant_type === 'refresh_token' && status === 200 && isProcessed;
}

/** @returns true where the response to a refresh arrived after the time limit of the site, only because of the machine */
function isMachineSlow(
  events: readonly ClinicianEvent[],
  requests: readonly RecordedRequest[],
  before: number,
): boolean {
  const recent = requests.filter(({ number }) => number > before);
  const timeouts = events.filter(
    ({ name, code }) => name === 'refresh_failed' && code === 'service_unreachable',
  ).length;
  const planned = recent.filter(({ fault }) => WITHOUT_RESPONSE.includes(fault)).length;
  return recent.some(isRefresh) && timeouts > planned;
}

/** @returns what is wrong with the loss of a grant: nothing refused it, or no event reported it */
function lossProblem(
  { fault, outage }: Disturbance,
  refreshes: number,
  events: readonly ClinicianEvent[],
): string | undefined {
  // The new tokens were in the memory of the killed process only.
  if (outage === 'site killed' && refreshes > 0) return undefined;
  // Tokens that the database does not save are revoked.
  const isUnsaved = outage !== undefined && refreshes > 0;
  const isRefused = fault !== undefined && (FAULTS[fault].kind !== 'failure' || REFUSALS.includes(fault));
  if (!isUnsaved && !isRefused) return 'nothing refused it';
  const isReported = events.some(({ name }) => name === 'refresh_failed' || name === 'login_ended');
  return isReported ? undefined : 'no event reports it';
}
