import { FAULTS, type FaultName } from '../faults/catalogue.js';
import { PAGE_PATHS, PATHS } from '../http/paths.js';
import type { Problem } from '../recording/problems.js';
import type { RecordedRequest } from '../recording/recorded-request.js';
import { isSentBySite } from '../recording/trace.js';

/** One exchange in the sequence of a login: a request to the provider, its response, and a redirect to the site. */
export interface ExchangeView {
  readonly number: number;
  readonly at: number;
  readonly sender: 'browser' | 'site';
  readonly method: string;
  readonly path: string;
  /** The purpose of the request, in a few words. */
  readonly purpose: string;
  readonly status: number;
  /** The response, in a few words. */
  readonly response: string;
  readonly tone: 'good' | 'bad' | 'fault';
  /** The URL at the site that the response redirects to. */
  readonly redirectURL?: string;
  readonly fault?: { readonly name: string; readonly description: string };
  readonly problems: readonly Problem[];
}

/** The purpose of a request to each endpoint, and its successful response. */
const ENDPOINTS: Readonly<Record<string, readonly [purpose: string, response: string]>> = {
  [PATHS.openidConfiguration]: ['Reads the configuration', 'the configuration'],
  [PATHS.authorizationServer]: ['Reads the metadata', 'the metadata'],
  [PATHS.jwks]: ['Reads the signing keys', 'the keys'],
  [PATHS.authorize]: ['Requests a login', 'a sign-in or consent page'],
  [PATHS.token]: ['Requests tokens', 'tokens'],
  [PATHS.revoke]: ['Revokes a token', 'revoked'],
  [PATHS.userinfo]: ['Reads userinfo', 'userinfo'],
  [PATHS.sessionState]: ['Session check', 'the frame'],
  [PATHS.logout]: ['Signs out', 'a page'],
  [PATHS.currentUser]: ['Reads the profile', 'the profile'],
  [PATHS.colleagues]: ['Reads colleagues', 'colleagues'],
  [PATHS.rateLimit]: ['Reads the rate limit', 'the rate limit'],
  [PAGE_PATHS.resume]: ['Continues', 'the next page'],
  [PAGE_PATHS.login]: ['Submits the password', 'the same page'],
  [PAGE_PATHS.registration]: ['Creates an account', 'the same page'],
  [PAGE_PATHS.verification]: ['Opens the verification queue', 'a page'],
  [PAGE_PATHS.consent]: ['Submits the consent page', 'a page'],
};

const GRANT_TYPES: Readonly<Record<string, string>> = {
  authorization_code: 'Redeems the code',
  refresh_token: 'Refreshes the tokens',
};

/** @param problems those of this request */
export function exchangeViewOf(request: RecordedRequest, problems: readonly Problem[], issuer: string): ExchangeView {
  const { number, at, method, path, status, fault } = request;
  const redirectURL = redirectURLOf(request, issuer);
  return {
    number,
    at,
    sender: isSentBySite(request) ? 'site' : 'browser',
    method,
    path,
    purpose: purposeOf(request),
    status,
    response: responseOf(request, redirectURL),
    tone: fault !== undefined ? 'fault' : status >= 400 || problems.length > 0 ? 'bad' : 'good',
    ...(redirectURL !== undefined && { redirectURL }),
    ...(fault !== undefined && { fault: { name: fault, description: describeFaults(fault) } }),
    problems,
  };
}

/** @param names one fault, or several: `delay, badSignature` */
function describeFaults(names: string): string {
  const known = names.split(', ') as FaultName[];
  return known.map((name) => FAULTS[name].description).join(' ');
}

function purposeOf({ path, method, form }: RecordedRequest): string {
  if (path === PATHS.token) return GRANT_TYPES[form.grant_type ?? ''] ?? 'Requests tokens';
  if (path === PAGE_PATHS.consent && form.decision) return form.decision === 'deny' ? 'Denies' : 'Approves';
  if (path === PAGE_PATHS.login && method !== 'POST') return 'Opens the login page';
  return ENDPOINTS[path]?.[0] ?? 'Sends a request';
}

/** @returns the redirect target, or undefined when it is a page of the provider. */
function redirectURLOf({ location }: RecordedRequest, issuer: string): string | undefined {
  if (location === undefined || !URL.canParse(location, issuer)) return undefined;
  const isOwn = location.startsWith('/') && new URL(location, issuer).origin === new URL(issuer).origin;
  return isOwn ? undefined : location;
}

function responseOf({ status, path, location }: RecordedRequest, redirectURL: string | undefined): string {
  if (redirectURL !== undefined) return `redirect to the site${describeRedirect(redirectURL)}`;
  if (location !== undefined) return `redirect to ${location.split('?', 1)[0]}`;
  if (status >= 400) return 'refused';
  if (status === 304) return 'not modified';
  return ENDPOINTS[path]?.[1] ?? 'a response';
}

function describeRedirect(url: string): string {
  const [, error] = /[?&#]error=([^&#]*)/.exec(url) ?? [];
  if (error !== undefined) return ` with error=${error}`;
  const names = [...url.matchAll(/[?&#](code|id_token|state)=/g)].map(([, name]) => name);
  return names.length === 0 ? '' : ` with ${names.join(', ')}`;
}
