import { digest, matchesDigest } from '../http/digest.js';
import { isWords, MASK, maskURL } from '../http/masking.js';
import { randomToken } from '../http/random.js';
import { isLocalURI } from '../http/redirect-uri.js';
import type { CheckedRegistration } from '../options/client-registration.js';
import type { FlowName } from '../options/scopes.js';
import { quoted } from '../options/validate.js';

/** Limits the clients of one developer (service spec: limits). */
const MAX_CLIENTS_PER_DEVELOPER = 25;
/** The number of windows above the rate limit after which a client is blacklisted. */
const MAX_ABUSED_WINDOWS = 3;

const ANY_LOOPBACK_URI = 'any address of this machine, such as http://127.0.0.1:3000/auth/callback';

/** The registered URIs that a browser is redirected to. */
type URIList = 'redirectURIs' | 'postLogoutRedirectURIs';

/** Represents one registered application. */
export class Client {
  readonly registration: CheckedRegistration;
  /** True when the resource API sends no response (service spec: errors). */
  isBlacklisted = false;
  /** The number of windows in which it exceeded the rate limit. */
  #abusedWindows = 0;
  readonly #secretDigest: string;
  readonly #provider: string;

  /** @param provider the host name of the provider */
  constructor(registration: CheckedRegistration, provider: string) {
    this.registration = registration;
    this.#provider = provider;
    this.#secretDigest = digest(registration.clientSecret);
  }

  get id(): string {
    return this.registration.clientID;
  }

  get flow(): FlowName {
    return this.registration.flow;
  }

  /** Counts a window in which it exceeded the rate limit; the third one blacklists it (service spec: limits). */
  countAbuse(): void {
    this.#abusedWindows += 1;
    if (this.#abusedWindows >= MAX_ABUSED_WINDOWS) this.isBlacklisted = true;
  }

  /** Removes the client from the blacklist and resets the count of windows. */
  unblacklist(): void {
    this.#abusedWindows = 0;
    this.isBlacklisted = false;
  }

  /** @returns the registered URIs of a list for a person, with secrets masked. */
  shown(list: URIList): readonly string[] {
    return this.registration.anyLoopbackURI ? [ANY_LOOPBACK_URI] : this.registration[list].map(maskURL);
  }

  /** @returns true for a URI that equals a registered one of a list exactly. */
  accepts(list: URIList, uri: string): boolean {
    const { [list]: registered, anyLoopbackURI } = this.registration;
    return registered.includes(uri) || (anyLoopbackURI && isLocalURI(uri, this.#provider));
  }

  hasSecret(secret: string): boolean {
    return matchesDigest(secret, this.#secretDigest);
  }
}

export class ClientStore {
  readonly #clients = new Map<string, Client>();
  readonly #clientCounts = new Map<string, number>();
  readonly #provider: string;
  readonly #unknownDigest = digest(randomToken());

  /** @param provider the host name of the provider */
  constructor(provider: string) {
    this.#provider = provider;
  }

  /** @returns the client with this secret. An unknown client takes as long as a wrong secret. */
  authenticate(id: string, secret: string): Client | undefined {
    const client = this.get(id);
    const isRight = client ? client.hasSecret(secret) : matchesDigest(secret, this.#unknownDigest);
    return isRight ? client : undefined;
  }

  get(id: string): Client | undefined {
    return this.#clients.get(id);
  }

  /** @returns true for the secret of any client. */
  isSecret(text: string): boolean {
    return [...this.#clients.values()].some((client) => client.hasSecret(text));
  }

  /** @returns a client_id, or a mask: a client that exchanges id and secret by mistake sends the secret, which may be short. */
  maskID(id: string): string {
    return this.get(id) !== undefined || (isWords(id) && !this.isSecret(id)) ? id : MASK;
  }

  all(): Iterable<Client> {
    return this.#clients.values();
  }

  add(registration: CheckedRegistration): void {
    const { clientID, developer } = registration;
    if (this.#clients.has(clientID)) {
      throw new TypeError(`There is already a client ${quoted(clientID)}. Choose another clientID.`);
    }
    const count = this.#clientCounts.get(developer) ?? 0;
    if (count >= MAX_CLIENTS_PER_DEVELOPER) {
      throw new TypeError(
        `Developer ${quoted(developer)} already has ${MAX_CLIENTS_PER_DEVELOPER} clients, the maximum. Register this client for another developer.`,
      );
    }
    this.#clients.set(clientID, new Client(registration, this.#provider));
    this.#clientCounts.set(developer, count + 1);
  }

  reset(): void {
    for (const client of this.#clients.values()) client.unblacklist();
  }

  /** Throws for an unknown client. */
  known(clientID: string): Client {
    const client = this.#clients.get(clientID);
    if (client === undefined) throw new TypeError(`There is no client ${JSON.stringify(clientID)}.`);
    return client;
  }
}
