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

function status(tone: LoginStatus['tone'], title: string, ...text: string[]): LoginStatus {
  return { tone, title, text };
}

/** @param now by the provider's clock, in milliseconds */
export function loginStatusOf(
  { outcome }: RecordedLogin,
  exchanges: readonly ExchangeView[],
  now: number,
): LoginStatus {
  const faulty = exchanges.find(({ tone }) => tone === 'fault');
  if (faulty !== undefined) return faultStatus(faulty, outcome === 'signed in');
  const hasProblem = exchanges.some(({ problems }) => problems.length > 0);
  if (outcome === 'denied') {
    const text = 'The user denied the access, and the site received access_denied. It should offer to try again.';
    return status('wait', 'Denied', text);
  }
  // The inspector shows the problem, if one is recorded.
  if (outcome === 'refused')
    return status('bad', 'Refused', ...(hasProblem ? [] : ['The provider refused a request.']));
  if (outcome === 'signed in') {
    const text = 'The site received its tokens. If it shows an error, see the log of the site.';
    const other = 'The provider refused another request of this login.';
    return status('good', 'Signed in', text, ...(hasProblem ? [other] : []));
  }
  return unfinishedStatus(exchanges, now, outcome === 'abandoned');
}

function faultStatus({ fault, method, path }: ExchangeView, hasTokens: boolean): LoginStatus {
  const { name, description } = fault ?? { name: 'unknown', description: '' };
  return status(
    'fault',
    hasTokens ? 'Completed with a fault' : 'Stopped by a fault',
    `The fault ${name} was applied to ${method} ${path}. ${description}`.trim(),
    hasTokens
      ? 'The provider completed this login. A correct site rejects it; a site that signs the user in lacks this check.'
      : 'You queued this fault. Without it the login may succeed.',
  );
}

function unfinishedStatus(exchanges: readonly ExchangeView[], now: number, isAbandoned: boolean): LoginStatus {
  const last = exchanges.at(-1);
  const redirectURL = exchanges.findLast((exchange) => exchange.redirectURL !== undefined)?.redirectURL;
  if (redirectURL !== undefined && /[?&#]code=/.test(redirectURL)) {
    if (last !== undefined && Math.abs(now - last.at) < REDEMPTION_TIMEOUT_MS) {
      return status('wait', 'In progress', 'The browser follows the redirect to the site with a code.');
    }
    const [url] = redirectURL.split(/[?#]/, 1);
    const what = `The browser was redirected to ${url} with a code, but the site did not redeem it at ${PATHS.token}.`;
    return status('bad', 'The site did not continue', what, LOST_STATE);
  }
  const page = (last && PAGE_TITLES[last.path]) ?? 'A page of the provider';
  if (isAbandoned) return status('wait', 'Abandoned', `${page} was shown, but never submitted.`);
  return status('wait', 'Waiting for the user', `${page} is open in a browser.`);
}

const PAGE_TITLES: Readonly<Record<string, string>> = {
  [PATHS.authorize]: 'The login page',
  [PAGE_PATHS.login]: 'The login page',
  [PAGE_PATHS.registration]: 'The registration page',
  [PAGE_PATHS.verification]: 'The verification page',
  [PAGE_PATHS.resume]: 'The consent page',
};
