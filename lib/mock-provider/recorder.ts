import type { Answer } from './answer.js';
import type { Parameters } from './parameters.js';
import type { MockRequest } from './request.js';

const SECRETS: ReadonlySet<string> = new Set([
  ...['code', 'code_verifier', 'client_secret', 'access_token', 'refresh_token', 'id_token', 'id_token_hint', 'token'],
  ...['password', 'form_token', 'interaction', 'session_state'],
]);
const LIMIT = 5000;
const MASK = '[masked]';

/** One exchange with the provider, secrets masked. */
export interface RecordedRequest {
  /** Milliseconds since the epoch, by the provider's clock. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
  /** How the client authenticated: the scheme alone. */
  readonly authorization: string | undefined;
  readonly status: number;
  /** Where it was redirected to, without the values of its parameters that are secret. */
  readonly location: string | undefined;
  /** The client that asked, when that is known. */
  readonly clientID: string | undefined;
}

/** What was asked and answered: `provider.requests`, an array, newest last. The newest 5,000 are kept at least. */
export type RecordedRequests = readonly RecordedRequest[] & {
  /** @returns the first request that matches, also one that is still to come. */
  waitFor(match: (request: RecordedRequest) => boolean): Promise<RecordedRequest>;
};

interface Waiting {
  readonly match: (request: RecordedRequest) => boolean;
  readonly resolve: (request: RecordedRequest) => void;
}

/** @returns the scheme alone; what has none may be a token. */
function schemeOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  return /^(basic|bearer|digest)(?= )/i.exec(authorization)?.[0] ?? MASK;
}

export class Recorder {
  readonly list: RecordedRequests;
  readonly #requests: RecordedRequest[] = [];
  #waiting: Waiting[] = [];

  constructor() {
    const waitFor = (match: Waiting['match']) => {
      const known = this.#requests.find(match);
      if (known) return Promise.resolve(known);
      return new Promise<RecordedRequest>((resolve) => this.#waiting.push({ match, resolve }));
    };
    this.list = Object.defineProperty(this.#requests, 'waitFor', { value: waitFor }) as unknown as RecordedRequests;
  }

  add(at: number, http: MockRequest, answer: Answer, clientID: string | undefined): void {
    const location = answer.headers.Location;
    const recorded: RecordedRequest = {
      at,
      method: http.method,
      path: http.path,
      query: masked(http.query),
      form: http.isForm ? masked(http.form) : {},
      authorization: schemeOf(http.headers.authorization),
      status: answer.status,
      location: typeof location === 'string' ? maskedLocation(location) : undefined,
      clientID,
    };
    // Half of the room at a time: taking them away one by one would move the whole array each time.
    if (this.#requests.length >= 2 * LIMIT) this.#requests.splice(0, LIMIT);
    this.#requests.push(recorded);
    if (this.#waiting.length > 0) this.#tell(recorded);
  }

  clear(): void {
    this.#requests.length = 0;
  }

  #tell(recorded: RecordedRequest): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const one of waiting) {
      if (one.match(recorded)) one.resolve(recorded);
      else this.#waiting.push(one);
    }
  }
}

function masked(parameters: Parameters): Record<string, string> {
  const entries = parameters.entries().map(([name, value]) => [name, SECRETS.has(name) ? MASK : value]);
  return Object.fromEntries(entries);
}

function maskedLocation(location: string): string {
  return location.replaceAll(/([?&#])([a-z_]+)=([^&#]*)/g, (whole, glue, name) =>
    SECRETS.has(name) ? `${glue}${name}=${MASK}` : whole,
  );
}
