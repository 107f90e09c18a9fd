import { PAGE_PATHS } from '../http/paths.js';
import type { ProviderResponse } from '../http/response.js';
import { parseDuration } from '../options/duration.js';
import { html } from '../pages/html.js';
import { signIDToken } from '../protocol/id-token.js';
import type { KeyRing } from '../state/keys.js';
import type {
  FailureContext,
  FailureResponse,
  FaultOptions,
  IDTokenChange,
  Members,
  MembersChange,
  ResponseChange,
} from './fault.js';
import { SIGNATURES } from './id-token-signatures.js';

/** @returns true when the members contain what the fault changes. */
export function appliesToMembers({ remove, requires = remove }: MembersChange, members: Members): boolean {
  return requires === undefined || members[requires] !== undefined;
}

export function changeMembers(change: MembersChange, members: Members): Members {
  const { remove, set } = change;
  const remaining = Object.entries(members).filter(([name]) => name !== remove);
  const changed = { ...Object.fromEntries(remaining), ...set };
  return change.change?.(changed) ?? changed;
}

/** @returns the ID Token with the changed claims, signed again. */
export async function changeIDToken(change: IDTokenChange, claims: Members, keys: KeyRing): Promise<string> {
  if (change.keys === 'publish-next') keys.publish();
  if (change.keys === 'rotate') keys.rotate();
  const key = keys.signing;
  const header = changeMembers(change.header ?? {}, { alg: 'RS256', kid: key.kid });
  const token = change.token ?? (await signIDToken(header, changeMembers(change, claims), key));
  if (change.signature === undefined) return token;
  const end = token.lastIndexOf('.');
  const [input, signature] = [token.slice(0, end), token.slice(end + 1)];
  const { publicKey } = key;
  return `${input}.${SIGNATURES[change.signature](input, { signature, publicKey })}`;
}

/** @returns a page that loads the address of a redirect as an image and opens it a second later, in the same browser. */
export function sendTwice(redirect: ProviderResponse): ProviderResponse {
  const { Location: location, ...headers } = redirect.headers;
  const callback = String(location);
  const page = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sent to the callback twice</title><link rel="icon" href="${PAGE_PATHS.logo}" type="image/svg+xml"></head><body><img src="${callback}" alt=""><p><a href="${callback}">Continue</a></p></body></html>\n`;
  return {
    ...redirect,
    status: 200,
    headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8', Refresh: `1; url=${callback}` },
    body: page.text,
  };
}

export function failureResponse(failure: FailureResponse, context: FailureContext): ProviderResponse {
  const { body = '', connectionFault, status = 503 } = failure;
  return {
    status,
    headers: {
      ...(typeof body === 'object' && { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }),
      ...(failure.isOfAPI && context.rateHeaders),
      ...failure.headers?.(context),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(connectionFault && { connectionFault }),
  };
}

/** @returns true when the response has what the fault changes. */
export function appliesToResponse({ requires }: ResponseChange, { headers, body }: ProviderResponse): boolean {
  if (requires === undefined) return true;
  if (requires === 'body') return body !== '';
  const isJSON = /json/.test(String(headers['Content-Type'])) && body !== '';
  return isJSON && (requires === 'json' || body.startsWith('{"'));
}

export function changeResponse(
  change: ResponseChange,
  response: ProviderResponse,
  { delay }: FaultOptions,
): ProviderResponse {
  const { connectionFault, delayMs, contentType } = change;
  const changed = {
    ...response,
    ...(connectionFault && { connectionFault }),
    ...(delayMs !== undefined && { delay: parseDuration(delay) ?? delayMs }),
  };
  if (change.body === undefined && contentType === undefined) return changed;
  const body = change.body?.(response.body) ?? response.body;
  return { ...withoutCaching(changed, contentType), body };
}

/** @returns a response that no client caches, and that has no ETag of the unchanged response. */
export function withoutCaching(response: ProviderResponse, contentType?: string): ProviderResponse {
  const { ETag: _, ...headers } = response.headers;
  return {
    ...response,
    headers: {
      ...headers,
      'Cache-Control': 'no-store',
      ...(contentType !== undefined && { 'Content-Type': contentType }),
    },
  };
}
