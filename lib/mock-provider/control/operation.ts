import type { Schema } from '../options/schema.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { InstanceActions } from '../server/admin-handler.js';

export type ControlMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** What was asked, checked against the operation's schemas. */
export interface OperationInput {
  readonly query: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: checked against the operation's own schema before
  readonly body: any;
}

/** One operation of the control API: what the OpenAPI document says of it, and what it does. */
export interface Operation {
  readonly method: ControlMethod;
  /** Below `/_mock`. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly query?: Readonly<Record<string, Schema>>;
  readonly body?: Schema;
  readonly example?: unknown;
  /** @default 200 */
  readonly status?: number;
  /** What a good answer holds; `text` for plain text. */
  readonly answer: Schema | 'text';
  /** May throw a sentence: it becomes a 400. */
  act(instance: ProviderInstance, asked: OperationInput, handle: InstanceActions): unknown;
}

export const CONTROL_PREFIX = '/_mock';
