import { addPathPrefix } from '../http/path-prefix.js';
import { type Address, PATHS } from '../http/paths.js';
import type { PendingResponses } from '../http/pending-responses.js';
import type { MockRequest } from '../http/request.js';
import { jsonResponse, type ProviderResponse } from '../http/response.js';

/** One provider as the server uses it: the main one or a sandbox. */
export interface ServedInstance {
  readonly issuer: string;
  /** The path of the issuer, without a trailing slash: empty for a provider at the root. */
  readonly prefix: string;
  readonly pendingResponses: PendingResponses;
  /** @returns true for a path of the provider at an address. Paths have no prefix here. */
  serves(path: string, address: Address | undefined): boolean;
  handle(http: MockRequest): Promise<ProviderResponse>;
  /** Ends every response that is not sent yet. */
  stop(): void;
}

/** The provider that a request is for, and its path there; `stopped` below a sandbox that was stopped. */
export type RouteTarget = { readonly instance: ServedInstance; readonly path: string } | 'stopped';

/**
 * The path of a sandbox is a part of its issuer, so a client needs no option for it. A port or a host name for each would need a
 * socket or a resolver; a header would have to be sent by the client under test.
 */
const SANDBOX = /^\/sandbox\/[^/]+(?=\/|$)/;
const DOCUMENTS = [PATHS.authorizationServer, PATHS.openidConfiguration];

/** Finds the provider of a path: the main one, or one of its sandboxes below it. */
export class InstanceRegistry {
  readonly #instances = new Map<string, ServedInstance>();
  #main: ServedInstance | undefined;
  #created = 0;

  /** The instance that was added first. */
  get main(): ServedInstance {
    return this.#main as ServedInstance;
  }

  /** @returns an issuer that no running or stopped sandbox has. */
  nextIssuer(): string {
    this.#created += 1;
    return `${this.main.issuer}/sandbox/${this.#created}`;
  }

  add(instance: ServedInstance): void {
    this.#main ??= instance;
    this.#instances.set(instance.prefix, instance);
  }

  /** Stops a sandbox. */
  remove(instance: ServedInstance): void {
    instance.stop();
    this.#instances.delete(instance.prefix);
  }

  stopAll(): void {
    for (const instance of [...this.#instances.values()].reverse()) {
      if (instance === this.main) instance.stop();
      else this.remove(instance);
    }
  }

  /** @returns undefined for a path that is not of these providers. */
  find(path: string): RouteTarget | undefined {
    for (const document of DOCUMENTS) {
      if (path.startsWith(`${document}/`)) return this.#findInserted(document, path.slice(document.length));
    }
    const { prefix } = this.main;
    if (prefix !== '' && !path.startsWith(`${prefix}/`)) return undefined;
    const below = path.slice(prefix.length);
    const [sandbox] = SANDBOX.exec(below) ?? [];
    if (sandbox === undefined) return { instance: this.main, path: below };
    const instance = this.#instances.get(prefix + sandbox);
    return instance === undefined ? 'stopped' : { instance, path: below.slice(sandbox.length) || '/' };
  }

  /**
   * Finds a provider by a well-known path. RFC 8414 section 3.1 inserts it before the issuer's path; OpenID Connect Discovery
   * appends it.
   */
  #findInserted(document: string, issuerPath: string): RouteTarget | undefined {
    const instance = this.#instances.get(issuerPath);
    if (instance !== undefined) return { instance, path: document };
    return issuerPath.startsWith(`${this.main.prefix}/sandbox/`) ? 'stopped' : undefined;
  }
}

/** @returns true for a path that a provider serves, if it shares a server with a site. */
export function isServed(target: RouteTarget | undefined, address: Address | undefined): boolean {
  return target === 'stopped' || target?.instance.serves(target.path, address) === true;
}

/** Handles a request in its provider. A request for a stopped sandbox is not recorded. */
export async function handleRequest(target: RouteTarget, http: MockRequest): Promise<ProviderResponse> {
  if (target !== 'stopped') return addPathPrefix(target.instance.prefix, await target.instance.handle(http));
  const error_description = 'This sandbox does not exist or was stopped. Create one with provider.sandbox().';
  return jsonResponse(404, { error: 'not_found', error_description }, { 'Cache-Control': 'no-store' });
}
