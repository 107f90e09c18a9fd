import type { FaultQueue } from '../faults/fault-queue.js';
import type { BrowserSelector, HeadlessSignInOptions } from '../headless/headless-browser.js';
import type { ClientRegistration, RegisteredClient } from '../options/client-registration.js';
import type { GrantExpiry } from '../options/grant-selector.js';
import type { Schema } from '../options/schema.js';
import type { ProblemLog } from '../recording/problems.js';
import type { Recorder } from '../recording/recorder.js';
import type { TraceOptions } from '../recording/trace.js';
import type { AccountStore } from '../state/accounts.js';
import type { ClientStore } from '../state/clients.js';
import type { MockClock } from '../state/clock.js';
import type { KeyRing } from '../state/keys.js';

/** The path of the control API. */
export const CONTROL_PREFIX = '/_mock';

export function isControlPath(path: string): boolean {
  return path === CONTROL_PREFIX || path.startsWith(`${CONTROL_PREFIX}/`);
}

/** The parts of a provider that the control API reads and changes. */
export interface ControlledProvider {
  readonly issuer: string;
  readonly clock: MockClock;
  readonly keys: KeyRing;
  readonly clients: ClientStore;
  readonly accounts: AccountStore;
  readonly faults: FaultQueue;
  readonly recorder: Pick<Recorder, 'list' | 'exchanges' | 'logins' | 'unmasked'>;
  readonly problems: Pick<ProblemLog, 'list'>;
}

/** The methods of the public provider object that the control API calls. */
export interface ControlActions {
  registerClient(registration: ClientRegistration): RegisteredClient;
  signIn(authorizeURL: string, options: HeadlessSignInOptions): Promise<string>;
  signOut(logoutURL: string, selector: BrowserSelector): Promise<string>;
  trace(options: TraceOptions): string;
  expireGrants(expiry: GrantExpiry): number;
  reset(): void;
}

/** The result of an operation that returns nothing else. */
export const DONE = { done: true } as const;

/** A request to an operation, validated by its schemas. */
interface OperationInput<Body> {
  readonly query: Readonly<Record<string, string>>;
  readonly body: Body;
}

/** Defines one operation of the control API. */
// biome-ignore lint/suspicious/noExplicitAny: an operation of any body
export interface Operation<Body = any> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below {@link CONTROL_PREFIX}. */
  readonly path: string;
  readonly query?: Readonly<Record<string, Schema<string>>>;
  readonly body?: Schema<Body>;
  /** @default 200 */
  readonly status?: number;
  /**
   * Runs the operation. The message of an error that it throws is sent with status 400.
   * @returns the response: an object is sent as JSON, and text as text
   */
  run(
    provider: ControlledProvider,
    input: OperationInput<Body>,
    actions: ControlActions,
  ): object | string | Promise<object>;
}

/** Lets the compiler check the body of an operation against its schema. */
export function operation<Body = undefined>(definition: Operation<Body>): Operation {
  return definition;
}
