import { parseDuration } from '../options/duration.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { RecordedRequest } from '../recording/recorded-request.js';
import { badRequest, ControlError } from './control-error.js';

const LONGEST_WAIT = 30_000;

type Query = Readonly<Record<string, string>>;

export interface RequestList {
  readonly requests: readonly RecordedRequest[];
  /** Give it as `since`, and only what came after this is listed. */
  readonly next: number;
}

/** @returns the recorded requests that fit, after the one that `since` names. */
export function requestsSince({ recorder }: ProviderInstance, query: Query): RequestList {
  const since = wholeNumber(query.since ?? '0', 'since');
  const { list } = recorder;
  const fits = matching(query);
  return {
    requests: list.filter((request) => request.number > since && fits(request)),
    next: list.at(-1)?.number ?? 0,
  };
}

/** Waits for a request that fits. Throws a {@link ControlError} when none came in time. */
export async function waitForRequest(instance: ProviderInstance, query: Query): Promise<RequestList> {
  const timeout = /^\d+$/.test(query.wait ?? '') ? Number(query.wait) : (query.wait ?? '');
  const patience = parseDuration(timeout);
  if (patience === undefined || patience < 0 || patience > LONGEST_WAIT) {
    throw badRequest('wait must be a duration of 30 seconds at most, such as wait=5%20seconds.');
  }
  const known = requestsSince(instance, query);
  if (known.requests.length > 0) return known;
  const since = wholeNumber(query.since ?? '0', 'since');
  const fits = matching(query);
  const { list } = instance.recorder;
  const isLater = (request: RecordedRequest) => request.number > since && fits(request);
  const first = await list.waitFor(isLater, { timeout }).catch((error: Error) => {
    throw new ControlError(404, 'no_such_request', error.message);
  });
  return { requests: [first], next: first.number };
}

function matching({ method, path, status, client }: Query): (request: RecordedRequest) => boolean {
  const code = status === undefined ? undefined : wholeNumber(status, 'status');
  return function fits(request) {
    if (method !== undefined && request.method !== method.toUpperCase()) return false;
    if (path !== undefined && request.path !== path) return false;
    if (code !== undefined && request.status !== code) return false;
    return client === undefined || request.clientID === client;
  };
}

/** @returns the number that a parameter says. Throws a sentence. */
export function wholeNumber(text: string, where: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badRequest(`${where} must be a whole number, not ${JSON.stringify(text.slice(0, 100))}.`);
}
