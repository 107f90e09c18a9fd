import { PAGE_PATHS, PATHS } from '../http/paths.js';
import type { RecordedLogin } from '../recording/recorded-request.js';
import type { ExchangeView } from './exchange-view.js';

/** The status of a login, with an explanation for developers. */
export interface LoginStatus {
  readonly tone: 'good' | 'bad' | 'fault' | 'wait';
  readonly title: string;
  /** Sentences: what happened, and what to check. */
  readonly text: readonly string[];
}

/** The time in which a site redeems a code. */
const REDEMPTION_TIMEOUT_MS = 3_000;

const LOST_STATE =
  'Usual causes: the callback route is missing or failed; the state did not match, because the browser did not send the cookie (127.0.0.1 and localhost are two hosts); the site rejected the response. See the log of the site.';

/** @param now by the provider's clock, in milliseconds */
export function loginStatusOf(
  { outcome }: RecordedLogin,
  exchanges: readonly ExchangeView[],
  now: number,
): LoginStatus {
  const faulty = exchanges.find(({ tone }) => tone === 'fault');
  const problem = exchanges.flatMap(({ problems }) => problems).at(-1);
  if (faulty !== undefined) return faultStatus(faulty, outcome === 'signed in');
  switch (outcome) {
    case 'denied':
      return {
        tone: 'wait',
        title: 'Denied',
        text: ['The user denied the access, and the site received access_denied. It should offer to try again.'],
      };
    case 'refused':
      // The inspector shows the problem, if one is recorded.
      return { tone: 'bad', title: 'Refused', text: problem === undefined ? ['The provider refused a request.'] : [] };
    case 'signed in':
      return {
        tone: 'good',
        title: 'Signed in',
        text: [
          'The site received its tokens. If it shows an error, see the log of the site.',
          ...(problem === undefined ? [] : ['The provider refused another request of this login.']),
        ],
      };
    default:
      return unfinishedStatus(exchanges, now, outcome === 'abandoned');
  }
}

function faultStatus({ fault, method, path }: ExchangeView, hasTokens: boolean): LoginStatus {
  const { name, description } = fault ?? { name: 'unknown', description: '' };
  return {
    tone: 'fault',
    title: hasTokens ? 'Completed with a fault' : 'Stopped by a fault',
    text: [
      `The fault ${name} was applied to ${method} ${path}. ${description}`.trim(),
      hasTokens
        ? 'The provider completed this login. A correct site rejects it; a site that signs the user in lacks this check.'
        : 'You queued this fault. Without it the login may succeed.',
    ],
  };
}

function unfinishedStatus(exchanges: readonly ExchangeView[], now: number, isAbandoned: boolean): LoginStatus {
  const last = exchanges.at(-1);
  const redirectURL = exchanges.findLast((exchange) => exchange.redirectURL !== undefined)?.redirectURL;
  if (redirectURL !== undefined && /[?&#]code=/.test(redirectURL)) {
    if (last !== undefined && Math.abs(now - last.at) < REDEMPTION_TIMEOUT_MS) {
      return {
        tone: 'wait',
        title: 'In progress',
        text: ['The browser follows the redirect to the site with a code.'],
      };
    }
    const [url] = redirectURL.split(/[?#]/, 1);
    const what = `The browser was redirected to ${url} with a code, but the site did not redeem it at ${PATHS.token}.`;
    return { tone: 'bad', title: 'The site did not continue', text: [what, LOST_STATE] };
  }
  const page = (last && PAGE_TITLES[last.path]) ?? 'A page of the provider';
  if (isAbandoned) return { tone: 'wait', title: 'Abandoned', text: [`${page} was shown, but never submitted.`] };
  return { tone: 'wait', title: 'Waiting for the user', text: [`${page} is open in a browser.`] };
}

const PAGE_TITLES: Readonly<Record<string, string>> = {
  [PATHS.authorize]: 'The login page',
  [PAGE_PATHS.login]: 'The login page',
  [PAGE_PATHS.registration]: 'The registration page',
  [PAGE_PATHS.verification]: 'The verification page',
  [PAGE_PATHS.resume]: 'The consent page',
};
