import { addPathPrefix } from '../http/path-prefix.js';
import type { Address } from '../http/paths.js';
import type { PendingResponses } from '../http/pending-responses.js';
import type { MockRequest } from '../http/request.js';
import { type ProviderResponse, withoutEmptyType } from '../http/response.js';
import type { ProviderInstance } from '../provider-instance.js';
import { createExchangeHandler } from './exchange-handler.js';
import { createRouter } from './router.js';
import { createRoutes } from './routes.js';

/** Handles the paths of the control API and the inspector. No fault applies to them, and they are not recorded. */
export interface AdminHandler {
  has(path: string): boolean;
  /** @returns undefined for a request that is not allowed: it gets 404, as for an unknown path. */
  respond(http: MockRequest): Promise<ProviderResponse | undefined> | ProviderResponse | undefined;
}

/** A provider as the server uses it. Paths have no prefix here. */
export interface ServedInstance {
  readonly issuer: string;
  readonly apiURL: string;
  /** The path of the issuer, without a trailing slash: empty for a provider at the root. */
  readonly prefix: string;
  readonly pendingResponses: PendingResponses;
  /** @returns true for a path of the provider at an address. */
  serves(path: string, address: Address | undefined): boolean;
  handle(http: MockRequest): Promise<ProviderResponse>;
  /** Ends every response that is not sent yet. */
  stop(): void;
}

export function serveInstance(instance: ProviderInstance, adminHandler: AdminHandler): ServedInstance {
  const { issuer, apiURL, prefix, pendingResponses, recorder } = instance;
  const table = createRoutes(instance);
  const handleExchange = createExchangeHandler(createRouter(table), table.resourceAPI, instance);
  return {
    issuer,
    apiURL,
    prefix,
    pendingResponses,
    serves: (path, address) => table.find(path, address) !== undefined || (path !== '/' && adminHandler.has(path)),
    async handle(http) {
      const isAdmin = (http.address ?? 'issuer') === 'issuer' && adminHandler.has(http.path);
      const response = isAdmin ? await adminHandler.respond(http) : undefined;
      return withoutEmptyType(addPathPrefix(prefix, response ?? (await handleExchange(http))));
    },
    stop() {
      recorder.close();
      pendingResponses.abortAll();
    },
  };
}
