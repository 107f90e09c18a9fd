import { AUTHORIZATION_REQUEST_RULES } from './authorization-request-rules.js';
import { DIFFERENCE_RULES } from './difference-rules.js';
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
  ...TOKEN_RULES,
  ...RESOURCE_API_RULES,
  ...DIFFERENCE_RULES,
];
