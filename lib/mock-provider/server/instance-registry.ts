import { PATHS } from '../http/paths.js';
import type { ProviderInstance } from '../provider-instance.js';

/** Where sandboxes are, below the provider's own address. */
const SANDBOX = /^\/sandbox\/[^/]+(?=\/|$)/;
const DOCUMENTS = [PATHS.authorizationServer, PATHS.openidConfiguration];

/** Which house a request is for, and what it asks for there. */
export interface RoutedInstance {
  readonly instance: ProviderInstance;
  readonly path: string;
}

/** The houses at one address: the provider's own, and those of its sandboxes below it. */
export class InstanceRegistry {
  readonly main: ProviderInstance;
  readonly #houses = new Map<string, ProviderInstance>();
  #built = 0;

  constructor(main: ProviderInstance) {
    this.main = main;
    this.#houses.set(main.prefix, main);
  }

  /** @returns an issuer that no sandbox had before, also when that one was stopped. */
  nextIssuer(): string {
    this.#built += 1;
    return `${this.main.issuer}/sandbox/${this.#built}`;
  }

  add(instance: ProviderInstance): void {
    this.#houses.set(instance.prefix, instance);
  }

  remove(instance: ProviderInstance): void {
    this.#houses.delete(instance.prefix);
  }

  sandboxes(): ProviderInstance[] {
    return [...this.#houses.values()].filter((instance) => instance !== this.main);
  }

  /** @returns undefined for what is outside; 'gone' for what is below a sandbox that there is not, or not any more. */
  find(path: string): RoutedInstance | 'gone' | undefined {
    const document = DOCUMENTS.find((one) => path.startsWith(`${one}/`));
    if (document !== undefined) return this.#inserted(document, path.slice(document.length));
    const { prefix } = this.main;
    if (prefix !== '' && !path.startsWith(`${prefix}/`)) return undefined;
    const below = path.slice(prefix.length);
    const [sandbox] = SANDBOX.exec(below) ?? [];
    if (sandbox === undefined) return { instance: this.main, path: below };
    const instance = this.#houses.get(prefix + sandbox);
    return instance === undefined ? 'gone' : { instance, path: below.slice(sandbox.length) || '/' };
  }

  /** RFC 8414 section 3.1: the well-known part stands before the issuer's path. OpenID Connect Discovery puts it behind. */
  #inserted(document: string, issuerPath: string): RoutedInstance | 'gone' | undefined {
    const instance = this.#houses.get(issuerPath);
    if (instance !== undefined) return { instance, path: document };
    return issuerPath.startsWith(`${this.main.prefix}/sandbox/`) ? 'gone' : undefined;
  }
}
