import { FAULTS, type FaultName, type FaultOptions } from '../../lib/mock-provider/mock-provider.js';
import type { Deployment } from './deployment.js';
import type { Random } from './random.js';

/** What a user does while something fails. */
export type Step = 'sign-in' | 'refresh' | 'sign-out';

/** Lists what can happen to the processes. A killed process and a killed database are started again after the step. */
export type Outage = 'site killed' | 'database paused' | 'database killed' | 'database restarted';
const OUTAGES: readonly Outage[] = ['site killed', 'database paused', 'database killed', 'database restarted'];

/** A fault of the provider and an outage in one step, each of them optional. */
export interface Disturbance {
  fault: FaultName | undefined;
  options: FaultOptions;
  outage: Outage | undefined;
}

const MAX_START_MS = 40;
const MAX_PAUSE_MS = 1_500;
const MAX_DOWN_MS = 400;
const LOCK_MS = 30_000;
const FAULT_PROBABILITY = 0.7;
const OUTAGE_PROBABILITY = 0.04;

/** The endpoints that the site requests; the browser requests the others. */
const SITE_ENDPOINTS: Record<Step, readonly string[]> = {
  'sign-in': [
    '/.well-known/openid-configuration',
    '/.well-known/jwks.json',
    '/oauth/token',
    '/api/v1/users/current',
    '/oauth/authorize',
  ],
  refresh: ['/oauth/token', '/.well-known/jwks.json', '/api/v1/users/current'],
  'sign-out': ['/oauth/revoke', '/oauth/logout'],
};
/** The kinds of faults that change what the browser carries to the site. */
const BROWSER_KINDS: readonly string[] = ['redirect', 'logout'];
/** Faults that name another user, which a site can notice only if it knows the user already. */
const FALSE_IDENTITY: readonly FaultName[] = ['wrongSubject', 'profileWrongID'];

function appliesAt(name: FaultName, endpoint: string): boolean {
  const { kind, endpoints } = FAULTS[name];
  const isBrowserEndpoint = endpoint === '/oauth/authorize' || endpoint === '/oauth/logout';
  return (endpoints as readonly string[]).includes(endpoint) && BROWSER_KINDS.includes(kind) === isBrowserEndpoint;
}

const NAMES = Object.keys(FAULTS) as FaultName[];

/** Draws what happens in a step. @param isUserKnown to the site, from the ID Token and the profile */
export function drawDisturbance(random: Random, step: Step, isUserKnown: boolean): Disturbance {
  const endpoint = random.pick(SITE_ENDPOINTS[step]);
  const names = NAMES.filter((name) => appliesAt(name, endpoint));
  const possible = isUserKnown ? names : names.filter((name) => !FALSE_IDENTITY.includes(name));
  const fault = random.chance(FAULT_PROBABILITY) ? random.pick(possible) : undefined;
  const outage = random.chance(OUTAGE_PROBABILITY) ? random.pick(OUTAGES) : undefined;
  return { fault, options: { endpoint }, outage };
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a disturbance. @returns a function that waits for its end, and starts again what has failed */
export function disturb(
  { provider, database, kill, restart, processURLs }: Deployment,
  { fault, options, outage }: Disturbance,
  random: Random,
): () => Promise<void> {
  if (fault !== undefined) provider.faults.next(fault, options);
  const startMs = random.number(MAX_START_MS);
  const [pauseMs, downMs] = [random.number(MAX_PAUSE_MS), random.number(MAX_DOWN_MS)];
  const processIndex = Math.floor(random.number(processURLs.length));

  const outages: Record<Outage, () => Promise<void>> = {
    'site killed': async () => {
      await kill(processIndex);
      await wait(pauseMs);
      // The lock of the killed process expires, while other requests wait for it.
      await database.advance(LOCK_MS);
    },
    'database paused': async () => {
      database.freeze();
      await wait(pauseMs);
      database.thaw();
    },
    'database killed': async () => {
      await database.kill();
      await wait(downMs);
      await database.start();
    },
    'database restarted': async () => {
      await database.stop();
      await database.start();
    },
  };
  const ended = outage && wait(startMs).then(outages[outage]);

  return async () => {
    await ended;
    provider.faults.clear();
    if (outage === undefined) return;
    await restart();
    await Promise.all(processURLs.map(untilAvailable));
  };
}

const ATTEMPTS = 2_000;
const ATTEMPT_INTERVAL_MS = 25;

/** Waits until a process responds, and is connected to the database again. */
async function untilAvailable(url: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const response = await fetch(`${url}/ready`).catch(() => undefined);
    await response?.text();
    if (response?.status === 200) return;
    await wait(ATTEMPT_INTERVAL_MS);
  }
  throw new Error(`${url} does not recover.`);
}
