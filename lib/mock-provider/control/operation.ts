import type { Schema } from '../../schema.js';
import type { MockProvider } from '../provider.js';
import type { ProviderInstance } from '../provider-instance.js';

/** The path of the control API. */
export const CONTROL_PREFIX = '/_mock';

export function isControlPath(path: string): boolean {
  return path === CONTROL_PREFIX || path.startsWith(`${CONTROL_PREFIX}/`);
}

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
    provider: MockProvider,
    input: OperationInput<Body>,
    instance: ProviderInstance,
  ): object | string | Promise<object>;
}

/** Lets the compiler check the body of an operation against its schema. */
export function operation<Body = undefined>(definition: Operation<Body>): Operation {
  return definition;
}
