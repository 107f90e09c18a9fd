import { addPathPrefix } from '../http/path-prefix.js';
import type { Address } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import { type ProviderResponse, withoutEmptyType } from '../http/response.js';
import type { ProviderInstance } from '../provider-instance.js';
import { createExchangeHandler } from './exchange-handler.js';
import { createRouter } from './router.js';
import { createRoutes, type RouteTable } from './routes.js';

/** @returns undefined for a request that is not allowed: it gets 404, as for an unknown path. */
export type AdminRespond = (http: MockRequest) => Promise<ProviderResponse | undefined>;

/** Handles the paths of the control API and the inspector. No fault applies to them, and they are not recorded. */
export interface AdminHandler {
  has(path: string): boolean;
  readonly respond: AdminRespond;
}

/** A provider as the server uses it. Paths have no prefix here. */
export class ServedInstance {
  readonly instance: ProviderInstance;
  readonly #adminHandler: AdminHandler;
  readonly #routes: RouteTable;
  readonly #handleExchange: (http: MockRequest) => Promise<ProviderResponse>;

  constructor(instance: ProviderInstance, adminHandler: AdminHandler) {
    this.instance = instance;
    this.#adminHandler = adminHandler;
    this.#routes = createRoutes(instance);
    this.#handleExchange = createExchangeHandler(createRouter(this.#routes), this.#routes.resourceAPI, instance);
  }

  /** @returns true for a path of the provider at an address. */
  serves(path: string, address: Address | undefined): boolean {
    return this.#routes.find(path, address) !== undefined || (path !== '/' && this.#adminHandler.has(path));
  }

  async handle(http: MockRequest): Promise<ProviderResponse> {
    const isAdmin = (http.address ?? 'issuer') === 'issuer' && this.#adminHandler.has(http.path);
    const response = isAdmin ? await this.#adminHandler.respond(http) : undefined;
    return withoutEmptyType(addPathPrefix(this.instance.prefix, response ?? (await this.#handleExchange(http))));
  }

  /** Ends every response that is not sent yet. */
  stop(): void {
    this.instance.recorder.close();
    this.instance.pendingResponses.abortAll();
  }
}
