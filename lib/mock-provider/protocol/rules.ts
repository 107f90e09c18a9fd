import { AUTHORIZATION_RULES } from './rules/authorization.js';
import { EVERY_ENDPOINT_RULES } from './rules/every-endpoint.js';
import { LOGOUT_RULES } from './rules/logout.js';
import { RESOURCE_RULES } from './rules/resources.js';
import { REVOCATION_RULES, TOKEN_RULES } from './rules/token.js';

/** A rule that a client can violate: the requirement, where it is defined, and what to change in the client. */
export interface ServiceRule {
  /** One sentence. */
  readonly rule: string;
  /** An RFC's section, an OpenID section or a part of the service spec. */
  readonly source: string;
  /** What the client's developer changes after a refusal; undefined when the user denied the access. */
  readonly fix?: string;
}

/** Names a rule by its requirement. */
export type RuleID =
  | keyof typeof EVERY_ENDPOINT_RULES
  | keyof typeof AUTHORIZATION_RULES
  | keyof typeof TOKEN_RULES
  | keyof typeof REVOCATION_RULES
  | keyof typeof LOGOUT_RULES
  | keyof typeof RESOURCE_RULES;

type Rules = Readonly<Record<string, ServiceRule>>;

/** The rules by part of the service, in the order of the documentation. */
export const RULE_SECTIONS: readonly (readonly [title: string, rules: Rules])[] = [
  ['Every endpoint', EVERY_ENDPOINT_RULES],
  ['Authorization endpoint', AUTHORIZATION_RULES],
  ['Token endpoint', TOKEN_RULES],
  ['Revocation endpoint', REVOCATION_RULES],
  ['Logout', LOGOUT_RULES],
  ['Userinfo and resource API', RESOURCE_RULES],
];

/** Every rule whose violation the mock provider refuses. */
export const SERVICE_RULES: Readonly<Record<RuleID, ServiceRule>> = Object.assign(
  {},
  ...RULE_SECTIONS.map(([, rules]) => rules),
) as Record<RuleID, ServiceRule>;
