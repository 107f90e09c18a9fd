/**
 * Describes one rule of the service: the requirement, where it is defined and, when a client can violate it, what to change
 * there.
 */
export interface ServiceRule {
  /** One sentence. */
  readonly rule: string;
  /** An RFC's section, an OpenID section, a part of the service spec, or `this mock` where all of them are silent. */
  readonly source: string;
  /** What the client's developer changes after a refusal. */
  readonly fix?: string;
}
