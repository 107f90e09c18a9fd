import { parseDuration } from '../options/duration.js';
import type { RecordedRequest, RecordedRequests } from '../recording/recorded-request.js';
import { badRequest, ControlError } from './control-error.js';

const MAX_WAIT_MS = 30_000;

type Query = Readonly<Record<string, string>>;

export interface RequestList {
  readonly requests: readonly RecordedRequest[];
  /** As `since` in the next request, it lists only later requests. */
  readonly next: number;
}

/** @returns the recorded requests that match the query, with `wait` as soon as one matches. Rejects with a {@link ControlError}. */
export async function listRequests(recorded: RecordedRequests, query: Query): Promise<RequestList> {
  const matches = matcher(query);
  const requests = recorded.filter(matches);
  if (query.wait === undefined) return { requests, next: recorded.at(-1)?.number ?? 0 };
  const timeout = /^\d+$/.test(query.wait) ? Number(query.wait) : query.wait;
  const timeoutMs = parseDuration(timeout);
  if (timeoutMs === undefined || timeoutMs < 0 || timeoutMs > MAX_WAIT_MS) {
    throw badRequest('wait must be a duration of at most 30 seconds, such as wait=5%20seconds.');
  }
  if (requests.length > 0) return { requests, next: recorded.at(-1)?.number ?? 0 };
  const { wait: _, ...awaited } = query;
  const parameters = Object.entries(awaited).map(([name, value]) => `${name} ${value}`);
  const description = `request with ${parameters.join(', ') || 'any parameters'}`;
  const first = await recorded.waitFor(matches, { timeout, description }).catch((error: Error) => {
    throw new ControlError(404, 'no_such_request', error.message);
  });
  return { requests: [first], next: first.number };
}

function matcher({ method, path, status, client, since = '0' }: Query): (request: RecordedRequest) => boolean {
  const sinceNumber = wholeNumber(since, 'since');
  const statusNumber = status === undefined ? undefined : wholeNumber(status, 'status');
  return (request) =>
    request.number > sinceNumber &&
    (method === undefined || request.method === method.toUpperCase()) &&
    (path === undefined || request.path === path) &&
    (statusNumber === undefined || request.status === statusNumber) &&
    (client === undefined || request.clientID === client);
}

/** @returns the number in a query parameter. Throws a {@link ControlError} for another text. */
export function wholeNumber(text: string, name: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badRequest(`${name} must be a whole number, not ${JSON.stringify(text.slice(0, 100))}.`);
}
