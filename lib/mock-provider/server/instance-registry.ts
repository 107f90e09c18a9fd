import { PATHS } from '../http/paths.js';
import type { House } from '../provider-instance.js';

/** Where sandboxes are, below the provider's own address. */
const SANDBOX = /^\/sandbox\/[^/]+(?=\/|$)/;
const DOCUMENTS = [PATHS.authorizationServer, PATHS.openidConfiguration];

/** Which house a request is for, and what it asks for there. */
export interface Found {
  readonly house: House;
  readonly path: string;
}

/** The houses at one address: the provider's own, and those of its sandboxes below it. */
export class Street {
  readonly main: House;
  readonly #houses = new Map<string, House>();
  #built = 0;

  constructor(main: House) {
    this.main = main;
    this.#houses.set(main.prefix, main);
  }

  /** @returns an issuer that no sandbox had before, also when that one was stopped. */
  nextIssuer(): string {
    this.#built += 1;
    return `${this.main.issuer}/sandbox/${this.#built}`;
  }

  add(house: House): void {
    this.#houses.set(house.prefix, house);
  }

  remove(house: House): void {
    this.#houses.delete(house.prefix);
  }

  sandboxes(): House[] {
    return [...this.#houses.values()].filter((house) => house !== this.main);
  }

  /** @returns undefined for what is outside; 'gone' for what is below a sandbox that there is not, or not any more. */
  find(path: string): Found | 'gone' | undefined {
    const document = DOCUMENTS.find((one) => path.startsWith(`${one}/`));
    if (document !== undefined) return this.#inserted(document, path.slice(document.length));
    const { prefix } = this.main;
    if (prefix !== '' && !path.startsWith(`${prefix}/`)) return undefined;
    const below = path.slice(prefix.length);
    const [sandbox] = SANDBOX.exec(below) ?? [];
    if (sandbox === undefined) return { house: this.main, path: below };
    const house = this.#houses.get(prefix + sandbox);
    return house === undefined ? 'gone' : { house, path: below.slice(sandbox.length) || '/' };
  }

  /** RFC 8414 section 3.1: the well-known part stands before the issuer's path. OpenID Connect Discovery puts it behind. */
  #inserted(document: string, issuerPath: string): Found | 'gone' | undefined {
    const house = this.#houses.get(issuerPath);
    if (house !== undefined) return { house, path: document };
    return issuerPath.startsWith(`${this.main.prefix}/sandbox/`) ? 'gone' : undefined;
  }
}
