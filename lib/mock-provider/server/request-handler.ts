import { addPathPrefix } from '../http/path-prefix.js';
import type { MockRequest } from '../http/request.js';
import { jsonResponse, type ProviderResponse } from '../http/response.js';
import type { InstanceRegistry, RoutedInstance } from './instance-registry.js';
import { answer, isOurs } from './router.js';

/** Where a request goes that came to this address. */
export type RouteTarget = RoutedInstance | 'gone';

/** @returns where a path leads to; to the provider's own house when nobody else knows it. */
export function routeTargetOf(registry: InstanceRegistry, path: string): RouteTarget {
  return registry.find(path) ?? { instance: registry.main, path };
}

/** @returns true for a path that is the provider's, where it shares a server with a site. */
export function isKnown(registry: InstanceRegistry, path: string): boolean {
  const found = registry.find(path);
  return found === 'gone' || (found !== undefined && isOurs(found.instance, found.path));
}

/** Answers one request in the house that it is for. */
export async function handleRequest(destination: RouteTarget, http: MockRequest): Promise<ProviderResponse> {
  if (destination === 'gone') return nobodyThere();
  return addPathPrefix(destination.instance.prefix, await answer(destination.instance, http));
}

/** No house takes it down: those that are left have nothing to do with it. */
function nobodyThere(): ProviderResponse {
  const error_description = 'There is no such sandbox: it was stopped, or never began. provider.sandbox() makes one.';
  return jsonResponse(404, { error: 'not_found', error_description }, { 'Cache-Control': 'no-store' });
}
