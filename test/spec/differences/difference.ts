/** Describes one intended difference between the mock provider and the service specification. */
export interface Difference {
  /** What the mock provider does, in one sentence. */
  readonly mock: string;
  readonly why: string;
  /** The options that enable it. Without them it is there by default. */
  readonly enabledBy?: readonly string[];
  /** The options that change or disable it. */
  readonly changedBy?: readonly string[];
  /** The service rules that it concerns, and the report rules that warn of it. */
  readonly rules?: readonly string[];
  /** The test that shows it, as in a statement. */
  readonly test?: string;
}
