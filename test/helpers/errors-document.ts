import { ERROR_CLASSES, ERROR_SECTIONS, REMEDIES, WARNING_CODES } from '../../lib/errors/error-codes.js';
import { table } from './generated-document.js';

const INTRODUCTION = `# Errors

Find what an error means and what resolves it. Every error of this package has these properties:

| property | meaning |
|---|---|
| \`code\` | stable within a major version: one of the codes below, or the OAuth error of the service (\`login_required\`, \`invalid_grant\`, ...) |
| \`status\`, \`statusCode\` | the HTTP status for the site's response |
| \`remedy\` | what resolves the error |
| \`retryable\` | true when the same call may succeed later: \`remedy\` is \`retry\` |
| \`retryAt\` | the earliest time of a retry, in milliseconds since the Unix epoch, if it is known |

\`isClinicianError(error)\` recognizes the errors, even if a process contains two copies of this package. In TypeScript, \`error.code\` has the type \`ErrorCode | OAuthErrorCode\`.

Errors contain no credentials. \`cause\` is a summary of another library's error: its name, its code, and the messages of the error and its causes, in which everything that looks like a credential is masked. Only the \`cause\` of \`site_error\` and \`serialize_user_missing\` is the exception itself, because the site's own code threw it. Text from the token endpoint is in \`errorDescription\`, for the operator, and not in \`message\`; it is absent if it repeats a credential in any encoding. An OAuth error that does not match \`^[a-z][a-z0-9_]{0,63}$\`, or looks like a credential, has the code \`server_error\`.

| remedy | what to do |
|---|---|
${Object.entries(REMEDIES)
  .map(([remedy, text]) => `| \`${remedy}\` | ${text} |\n`)
  .join('')}`;

const WARNINGS = `
## Warnings

These codes are not thrown. They appear in events and, without option onEvent, on stderr.

`;

/** @returns docs/reference/errors.md. */
export function errorsDocument(): string {
  const sections = ERROR_SECTIONS.map(([title, codes]) => {
    const rows = Object.entries(codes).map(([code, [errorClass, meaning]]) => {
      const { remedy, status } = ERROR_CLASSES[errorClass];
      return [`\`${code}\``, `\`${errorClass}\``, String(status), `\`${remedy}\``, meaning];
    });
    return `\n## ${title}\n\n${table(['code', 'class', 'status', 'remedy', 'meaning'], rows)}`;
  });
  const warnings = Object.entries(WARNING_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]);
  return INTRODUCTION + sections.join('') + WARNINGS + table(['code', 'meaning'], warnings);
}
