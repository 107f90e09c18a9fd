import { PATHS } from '../http/paths.js';
import { PAGE_PATHS } from '../pages/paths.js';
import type { RecordedLogin } from '../recording/recorded-request.js';
import type { ExchangeView } from './exchange-view.js';

/** How a login stands, for somebody who wants to know why it failed. */
export interface LoginStatus {
  readonly tone: 'good' | 'bad' | 'fault' | 'wait';
  readonly title: string;
  /** Sentences: what happened, and what to look at. */
  readonly text: readonly string[];
}

/** So long a site may take between two requests of a login. */
const PATIENCE = 3_000;

const LOST_STATE =
  'Usual causes: the callback route is missing or failed; the state did not match, because the cookie was lost on the way (start and callback on one host name: 127.0.0.1 and localhost are two); the site found something wrong in the response. Its own log says which.';

/** @returns what became of a login, in words. `now` is by the provider's clock. */
export function loginStatusOf({ outcome }: RecordedLogin, steps: readonly ExchangeView[], now: number): LoginStatus {
  const matched = steps.find(({ tone }) => tone === 'fault');
  const refused = steps.findLast(({ problems }) => problems.length > 0);
  if (matched !== undefined) return faulty(matched, outcome === 'signed in');
  if (outcome === 'denied') return denied();
  if (outcome === 'refused') return { tone: 'bad', title: 'Refused', text: whyRefused(refused) };
  if (outcome === 'signed in') return signedIn(refused);
  return unfinished(steps, now, outcome === 'abandoned');
}

function denied(): LoginStatus {
  return {
    tone: 'wait',
    title: 'Denied',
    text: ['The person pressed Deny, and the site was told access_denied. It should say so, and offer to try again.'],
  };
}

function faulty({ fault, method, path }: ExchangeView, hasTokens: boolean): LoginStatus {
  const { name, description } = fault ?? { name: 'a fault', description: '' };
  const told = `The fault ${name} struck ${method} ${path}. ${description}`.trim();
  const after = hasTokens
    ? 'The provider counts this login as done; a careful site has refused it. If the site signed somebody in, it does not check this.'
    : 'You asked for this fault; without it the login may go well.';
  return { tone: 'fault', title: hasTokens ? 'Answered with a fault' : 'Stopped by a fault', text: [told, after] };
}

function whyRefused(refused: ExchangeView | undefined): string[] {
  const problem = refused?.problems.at(-1);
  if (refused === undefined || problem === undefined) return ['The provider refused a request of this login.'];
  return [`${problem.reason}.`.replace(/\.\.$/, '.')];
}

function signedIn(refused: ExchangeView | undefined): LoginStatus {
  const text = [
    'The site has its tokens. If it shows an error all the same, it refused them itself: its own log says why.',
  ];
  if (refused === undefined) return { tone: 'good', title: 'Signed in', text };
  return { tone: 'good', title: 'Signed in', text: [...text, 'Something was refused besides.'] };
}

function unfinished(steps: readonly ExchangeView[], now: number, isAbandoned: boolean): LoginStatus {
  const last = steps.at(-1);
  const left = steps.findLast(({ leadsTo }) => leadsTo !== undefined);
  const isFresh = last !== undefined && Math.abs(now - last.at) < PATIENCE;
  if (left?.leadsTo !== undefined && /[?&#]code=/.test(left.leadsTo)) {
    if (isFresh)
      return { tone: 'wait', title: 'Under way', text: ['The browser is on its way back to the site with a code.'] };
    const where = left.leadsTo.split(/[?#]/, 1)[0];
    const told = `The browser was sent back to ${where} with a code, and the site never came to redeem it at ${PATHS.token}.`;
    return { tone: 'bad', title: 'The site did not go on', text: [told, LOST_STATE] };
  }
  const page = (last && PAGE_SHOWN[last.path]) ?? 'A page of the provider';
  if (isAbandoned)
    return { tone: 'wait', title: 'Abandoned', text: [`${page} was shown, and nobody ever answered it.`] };
  const text = [`${page} is open in a browser, and nobody has answered it yet.`];
  return { tone: 'wait', title: 'Waits for a person', text };
}

const PAGE_SHOWN: Readonly<Record<string, string>> = {
  [PATHS.authorize]: 'The login page',
  [PAGE_PATHS.login]: 'The login page',
  [PAGE_PATHS.registration]: 'The page to create an account',
  [PAGE_PATHS.verification]: 'The page on the verification queue',
  [PAGE_PATHS.resume]: 'The consent page',
};
