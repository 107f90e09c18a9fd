import { belowPrefix } from '../http/path-prefix.js';
import type { MockRequest } from '../http/request.js';
import { type Answer, jsonAnswer } from '../http/response.js';
import type { Found, Street } from './instance-registry.js';
import { answer, isOurs } from './router.js';

/** Where a request goes that came to this address. */
export type Destination = Found | 'gone';

/** @returns where a path leads to; to the provider's own house when nobody else knows it. */
export function destinationOf(street: Street, path: string): Destination {
  return street.find(path) ?? { house: street.main, path };
}

/** @returns true for a path that is the provider's, where it shares a server with a site. */
export function isKnown(street: Street, path: string): boolean {
  const found = street.find(path);
  return found === 'gone' || (found !== undefined && isOurs(found.house, found.path));
}

/** Answers one request in the house that it is for. */
export async function receive(destination: Destination, http: MockRequest): Promise<Answer> {
  if (destination === 'gone') return nobodyThere();
  return belowPrefix(destination.house.prefix, await answer(destination.house, http));
}

/** No house takes it down: those that are left have nothing to do with it. */
function nobodyThere(): Answer {
  const error_description = 'There is no such sandbox: it was stopped, or never began. provider.sandbox() makes one.';
  return jsonAnswer(404, { error: 'not_found', error_description }, { 'Cache-Control': 'no-store' });
}
