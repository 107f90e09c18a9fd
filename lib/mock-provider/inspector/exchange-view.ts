import { FAULTS, faultNamed } from '../faults/catalogue.js';
import { PATHS } from '../http/paths.js';
import { PAGE_PATHS } from '../pages/paths.js';
import type { Problem } from '../recording/problems.js';
import type { RecordedRequest } from '../recording/recorded-request.js';

/** One exchange as the inspector draws it: an arrow to the provider, what it answered, and where the browser went then. */
export interface ExchangeView {
  readonly number: number;
  readonly at: number;
  /** Who asked. */
  readonly from: 'browser' | 'site';
  readonly method: string;
  readonly path: string;
  /** What it was for, in a few words. */
  readonly what: string;
  readonly sent: readonly (readonly [name: string, value: string])[];
  readonly status: number;
  readonly answer: string;
  readonly tone: 'good' | 'bad' | 'fault';
  /** Where the browser was sent, when that is the site. */
  readonly leadsTo?: string;
  readonly fault?: { readonly name: string; readonly description: string };
  readonly problems: readonly Problem[];
}

/** What each endpoint is asked for, and who asks: a browser where it is not the site itself. */
const MEANING: Readonly<Record<string, readonly [what: string, answered: string, from?: 'site']>> = {
  [PATHS.openidConfiguration]: ['Reads the configuration', 'the configuration', 'site'],
  [PATHS.authorizationServer]: ['Reads the metadata', 'the metadata', 'site'],
  [PATHS.jwks]: ['Reads the signing keys', 'the keys', 'site'],
  [PATHS.authorize]: ['Asks for a login', 'a page to sign in or approve'],
  [PATHS.token]: ['Asks for tokens', 'tokens', 'site'],
  [PATHS.revoke]: ['Revokes a token', 'revoked', 'site'],
  [PATHS.userinfo]: ['Reads userinfo', 'userinfo', 'site'],
  [PATHS.sessionState]: ['Session check', 'the frame'],
  [PATHS.logout]: ['Signs out', 'a page'],
  [PATHS.currentUser]: ['Reads the profile', 'the profile', 'site'],
  [PATHS.colleagues]: ['Reads colleagues', 'colleagues', 'site'],
  [PATHS.rateLimit]: ['Reads the rate limit', 'the rate limit', 'site'],
  [PAGE_PATHS.resume]: ['Goes on', 'the next page'],
  [PAGE_PATHS.login]: ['Enters the password', 'the page again'],
  [PAGE_PATHS.registration]: ['Creates an account', 'the page again'],
  [PAGE_PATHS.verification]: ['Sees the verification queue', 'a page'],
  [PAGE_PATHS.consent]: ['Answers the consent page', 'a page'],
};

const GRANT_TYPES: Readonly<Record<string, string>> = {
  authorization_code: 'Redeems the code',
  refresh_token: 'Refreshes the tokens',
};

/** @returns a recorded request as a step; `problems` are those of this request. */
export function exchangeViewOf(request: RecordedRequest, problems: readonly Problem[], issuer: string): ExchangeView {
  const { number, at, method, path, status, fault } = request;
  const [, , from = 'browser'] = MEANING[path] ?? [];
  const leadsTo = leavesFor(request, issuer);
  return {
    number,
    at,
    from,
    method,
    path,
    what: purposeOf(request),
    sent: sentBy(request),
    status,
    answer: answerOf(request, leadsTo),
    tone: fault !== undefined ? 'fault' : status >= 400 || problems.length > 0 ? 'bad' : 'good',
    ...(leadsTo !== undefined && { leadsTo }),
    ...(fault !== undefined && { fault: { name: fault, description: describe(fault) } }),
    problems,
  };
}

/** Several faults may have struck one exchange: `delay, badSignature`. */
function describe(faults: string): string {
  const known = faults.split(', ').map(faultNamed);
  return known.map((name) => (name === undefined ? '' : FAULTS[name].description)).join(' ');
}

function purposeOf({ path, method, form }: RecordedRequest): string {
  if (path === PATHS.token) return GRANT_TYPES[form.grant_type ?? ''] ?? 'Asks for tokens';
  if (path === PAGE_PATHS.consent && form.decision) return form.decision === 'deny' ? 'Denies' : 'Approves';
  if (path === PAGE_PATHS.login && method !== 'POST') return 'Opens the login page';
  return MEANING[path]?.[0] ?? 'Asks';
}

function sentBy({ query, form, authorization }: RecordedRequest): [string, string][] {
  const sent = [...Object.entries(query), ...Object.entries(form)];
  return authorization === undefined ? sent : [['Authorization', `${authorization} ...`], ...sent];
}

/** @returns the address at the site that the browser was sent to, or undefined when it stays with the provider. */
function leavesFor({ location }: RecordedRequest, issuer: string): string | undefined {
  if (location === undefined || !URL.canParse(location, issuer)) return undefined;
  return new URL(location, issuer).origin === new URL(issuer).origin && location.startsWith('/') ? undefined : location;
}

function answerOf({ status, path, location }: RecordedRequest, leadsTo: string | undefined): string {
  if (leadsTo !== undefined) return `back to the site${broughtAlong(leadsTo)}`;
  if (location !== undefined) return `on to ${location.split('?', 1)[0]}`;
  if (status >= 400) return 'refused';
  if (status === 304) return 'not modified';
  return MEANING[path]?.[1] ?? 'answered';
}

function broughtAlong(address: string): string {
  const error = /[?&#]error=([^&#]*)/.exec(address)?.[1];
  if (error !== undefined) return ` with error=${error}`;
  const names = [...address.matchAll(/[?&#](code|id_token|state)=/g)].map(([, name]) => name);
  return names.length === 0 ? '' : ` with ${names.join(', ')}`;
}
