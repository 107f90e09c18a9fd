import { AUTHORIZATION_RULES } from './rules/authorization.js';
import { EVERY_ENDPOINT_RULES, METADATA_RULES } from './rules/every-endpoint.js';
import { RESOURCE_API_RULES, SHARE_RULES, USERINFO_RULES } from './rules/resources.js';
import { LOGOUT_RULES, SESSION_CHECK_RULES } from './rules/session.js';
import { REVOCATION_RULES, TOKEN_RULES } from './rules/token.js';

/**
 * One rule of the service: the requirement, where it is defined and, when a client can violate it, what to change
 * there.
 */
export interface ServiceRule {
  /** One sentence. */
  readonly rule: string;
  /** An RFC's section, an OpenID section, a part of the service spec, or `this mock` if all of them are silent. */
  readonly source: string;
  /** What the client's developer changes after a refusal. */
  readonly fix?: string;
}

/** Names a rule by its requirement. */
export type RuleID =
  | keyof typeof EVERY_ENDPOINT_RULES
  | keyof typeof AUTHORIZATION_RULES
  | keyof typeof TOKEN_RULES
  | keyof typeof REVOCATION_RULES
  | keyof typeof METADATA_RULES
  | keyof typeof SESSION_CHECK_RULES
  | keyof typeof LOGOUT_RULES
  | keyof typeof USERINFO_RULES
  | keyof typeof RESOURCE_API_RULES
  | keyof typeof SHARE_RULES;

type Rules = Readonly<Record<string, ServiceRule>>;

/** The rules by part of the service, in the order of the documentation. */
export const RULE_SECTIONS: readonly (readonly [title: string, rules: Rules])[] = [
  ['Every endpoint', EVERY_ENDPOINT_RULES],
  ['Authorization endpoint', AUTHORIZATION_RULES],
  ['Token endpoint', TOKEN_RULES],
  ['Revocation endpoint', REVOCATION_RULES],
  ['Metadata and keys', METADATA_RULES],
  ['Session check', SESSION_CHECK_RULES],
  ['Logout', LOGOUT_RULES],
  ['Userinfo', USERINFO_RULES],
  ['Resource API', RESOURCE_API_RULES],
  ['Share button and inbox', SHARE_RULES],
];

/** Every rule that the mock provider enforces, and every choice that the service spec leaves open. */
export const SERVICE_RULES: Readonly<Record<RuleID, ServiceRule>> = Object.assign(
  {},
  ...RULE_SECTIONS.map(([, rules]) => rules),
) as Record<RuleID, ServiceRule>;
