import type { Answer } from './answer.js';
import type { MockRequest } from './request.js';

const SECRET =
  /^(code|code_verifier|client_secret|access_token|refresh_token|id_token|id_token_hint|token|password|form_token|interaction|session_state)$/;
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

/** What was asked and answered: `provider.requests`, an array, newest last. */
export type RecordedRequests = readonly RecordedRequest[] & {
  /** @returns the first request that matches, also one that is still to come. */
  waitFor(match: (request: RecordedRequest) => boolean): Promise<RecordedRequest>;
};

function masked(parameters: Iterable<[string, string]>): Record<string, string> {
  return Object.fromEntries([...parameters].map(([name, value]) => [name, SECRET.test(name) ? MASK : value]));
}

function maskedLocation(location: string | undefined): string | undefined {
  return location?.replaceAll(/([?&#])([a-z_]+)=([^&#]*)/g, (whole, glue, name) =>
    SECRET.test(name) ? `${glue}${name}=${MASK}` : whole,
  );
}

export class Recorder {
  readonly list: RecordedRequests;
  readonly #requests: RecordedRequest[] = [];
  #waiting: { match: (request: RecordedRequest) => boolean; resolve: (request: RecordedRequest) => void }[] = [];

  constructor() {
    const waitFor = (match: (request: RecordedRequest) => boolean) => {
      const known = this.#requests.find(match);
      if (known) return Promise.resolve(known);
      return new Promise<RecordedRequest>((resolve) => this.#waiting.push({ match, resolve }));
    };
    this.list = Object.defineProperty(this.#requests, 'waitFor', { value: waitFor }) as unknown as RecordedRequests;
  }

  add(at: number, request: MockRequest, answer: Answer): void {
    const { location } = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const query = new URLSearchParams(request.search);
    const form = request.isForm ? new URLSearchParams(request.body) : new URLSearchParams();
    const recorded: RecordedRequest = {
      at,
      method: request.method,
      path: request.path,
      query: masked(query),
      form: masked(form),
      authorization: request.headers.authorization?.split(' ')[0],
      status: answer.status,
      location: maskedLocation(typeof location === 'string' ? location : undefined),
      clientID: query.get('client_id') ?? form.get('client_id') ?? undefined,
    };
    if (this.#requests.length >= LIMIT) this.#requests.shift();
    this.#requests.push(recorded);
    this.#waiting = this.#waiting.filter(({ match, resolve }) => !match(recorded) || resolve(recorded));
  }

  clear(): void {
    this.#requests.length = 0;
  }
}
