import { AUTHORIZATION_REQUEST_RULES } from './authorization-request-rules.js';
import { CODE_RULES } from './code-rules.js';
import { DIFFERENCE_RULES } from './difference-rules.js';
import { DOCUMENT_RULES } from './document-rules.js';
import { LOGOUT_RULES } from './logout-rules.js';
import { PARAMETER_RULES } from './parameter-rules.js';
import { REFUSAL_RULES } from './refusal-rules.js';
import { RESOURCE_API_RULES } from './resource-api-rules.js';
import type { ReportRule } from './rule.js';
import { TOKEN_RULES } from './token-rules.js';

/** The rules of `provider.report()`, in the order of docs/assurance/report.md. */
export const REPORT_RULES: readonly ReportRule[] = [
  ...REFUSAL_RULES,
  ...AUTHORIZATION_REQUEST_RULES,
  ...PARAMETER_RULES,
  ...CODE_RULES,
  ...TOKEN_RULES,
  ...LOGOUT_RULES,
  ...RESOURCE_API_RULES,
  ...DOCUMENT_RULES,
  ...DIFFERENCE_RULES,
];
