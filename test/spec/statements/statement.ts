/**
 * Describes one testable statement of the service specification. A side has an entry if the statement binds it: the mock
 * provider, the client (this package), or the site that uses it. The entry is the test that shows it: its file below test/
 * without `.test.ts`, a colon, and its full name.
 */
export interface Statement {
  /** One sentence, in the words of this project. */
  readonly statement: string;
  /** The service rules of the mock provider that enforce it, and rules of its report that check the client. */
  readonly rules?: readonly string[];
  /** Why there is no rule. */
  readonly reason?: string;
  readonly mock?: string;
  readonly client?: string;
  readonly site?: string;
}

/** Lists the sides that a statement can bind. */
export const SIDES = ['mock', 'client', 'site'] as const;

/** Lists statements by id. */
export type Statements = Readonly<Record<string, Statement>>;
