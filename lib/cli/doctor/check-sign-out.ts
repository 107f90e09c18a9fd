import { randomBytes } from 'node:crypto';
import { flows } from '../../authorization-server/flows.js';
import { chunksOf, type Fetch, type FetchResponse } from '../../http/http.js';
import { type CheckResult, ok, problem, skipped, warning } from './check-result.js';
import type { ServerMetadata } from './check-service.js';
import { send } from './request.js';
import type { Settings } from './settings.js';

const CHECK = 'sign-out';
const MAX_TEXT_BYTES = 65_536;

/** The response to a logout request, as far as a registered URL changes it. */
interface LogoutResponse {
  readonly status: number;
  readonly location: string | undefined;
  /** The words of the body, without tags, scripts and random values. */
  readonly text: string;
}

/**
 * Checks `postLogoutRedirectURI` without a user, by two logout requests with only a `client_id`: for the URL of the site, and for
 * one that no client has registered (OpenID Connect RP-Initiated Logout 1.0 section 2). A service may refuse both for the missing
 * ID Token; then the result is a warning.
 */
export async function checkPostLogoutURL(
  settings: Settings,
  { end_session_endpoint }: ServerMetadata,
  fetch: Fetch,
): Promise<CheckResult> {
  const { clientID, flow, postLogoutURL } = settings;
  if (!flows[flow].expectsIDToken) return skipped(CHECK, `the ${flow} flow ends only the session of this site`);
  if (end_session_endpoint === undefined) return skipped(CHECK, 'the service has no end_session_endpoint');
  const endpoint = String(end_session_endpoint);
  const unknownURL = `https://${randomBytes(8).toString('hex')}.invalid/`;
  const response = await requestLogout(endpoint, clientID, postLogoutURL, fetch);
  const unknown = await requestLogout(endpoint, clientID, unknownURL, fetch);
  const failure = [response, unknown].find((one) => typeof one === 'string');
  if (failure !== undefined) return problem(CHECK, failure, 'Check that this machine can reach the service.');
  return compare(response as LogoutResponse, unknown as LogoutResponse, postLogoutURL);
}

function compare(response: LogoutResponse, unknown: LogoutResponse, postLogoutURL: string): CheckResult {
  const fix = `Register exactly ${postLogoutURL} as a post-logout redirect URI of this client, or set the option postLogoutRedirectURI and --post-logout-redirect-uri to the registered one.`;
  if (response.location === postLogoutURL) return ok(CHECK, postLogoutURL);
  if (refusesURL(response)) {
    return problem(CHECK, `The service refuses ${postLogoutURL} after a sign-out (status ${response.status}).`, fix);
  }
  if (response.status !== unknown.status || response.text !== unknown.text) return ok(CHECK, postLogoutURL);
  const message = `The service does not show without a user whether ${postLogoutURL} is registered.`;
  return warning(CHECK, message, `${fix} Test it by a sign-out.`);
}

/** True for an error about the URL, not about the missing ID Token. */
function refusesURL({ status, text }: LogoutResponse): boolean {
  return status >= 400 && status < 500 && /redirect|post.?logout/i.test(text) && !/hint/i.test(text);
}

async function requestLogout(
  endpoint: string,
  clientID: string,
  postLogoutURL: string,
  fetch: Fetch,
): Promise<LogoutResponse | string> {
  const url = new URL(endpoint);
  url.searchParams.set('client_id', clientID);
  url.searchParams.set('post_logout_redirect_uri', postLogoutURL);
  const response = await send(fetch, url.href, { headers: { accept: 'application/json, text/html;q=0.9' } });
  if (typeof response === 'string') return response;
  const location = response.headers.get('location') ?? undefined;
  return { status: response.status, location, text: wordsOf(await readText(response), postLogoutURL) };
}

function wordsOf(text: string, postLogoutURL: string): string {
  return text
    .replaceAll(postLogoutURL, '')
    .replaceAll(/<(script|style)\b.*?<\/\1>|<[^>]*>/gis, ' ')
    .replaceAll(/(?=[\w-]*\d)[\w-]{16,}/g, '')
    .replaceAll(/\s+/g, ' ');
}

async function readText(response: FetchResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(response)) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > MAX_TEXT_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
