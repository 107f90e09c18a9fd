/** How a requirement is met, in one sentence, and the tests that show it: see readReference() in test/helpers/test-names.ts. */
export type Measure = readonly [how: string, test: string, ...more: string[]];

/** A requirement of a security document. At least one other member is set. */
export interface SecurityPoint {
  /** The requirement in one sentence, in the words of this project. */
  readonly requirement: string;
  /** How this package meets it. */
  readonly package?: Measure;
  /** How the mock provider meets it, as the authorization server. */
  readonly mock?: Measure;
  /** What the owner of the site must do, in one sentence. */
  readonly site?: string;
  /** Why it does not apply, or only in part. */
  readonly reason?: string;
}

/** The parts of this project that can meet a requirement, in the order of the document. */
export const PARTIES = ['package', 'mock'] as const;

/** Points by the sections of a document. */
export type SecuritySections = readonly (readonly [section: string, points: readonly SecurityPoint[]])[];
