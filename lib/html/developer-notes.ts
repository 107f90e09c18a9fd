import { ERROR_MEANINGS, REMEDIES } from '../errors/error-codes.js';
import { type ClinicianError, summarizeError } from '../errors/errors.js';
import { type HTML, html } from './escape.js';

/** The messages of this package are shorter. */
const MAX_LENGTH = 2000;

/** @returns the message of an error and of its cause. */
export function developerText({ message, cause }: ClinicianError): string {
  const text = cause === undefined ? message : `${message} Cause: ${summarizeError(cause).message}`;
  return text.replace(/^passport-clinician: /, '').slice(0, MAX_LENGTH);
}

/** @returns what developers need to know of an error, for pages in development: its message and what to do, without a stack. */
export function developerNotes(error: ClinicianError): HTML {
  const { code, remedy } = error;
  const text = developerText(error);
  const meaning = ERROR_MEANINGS.get(code) ?? 'An error code of the service (RFC 6749, OpenID Connect).';
  return html`<section class="clinician-note" lang="en" dir="ltr">
<h2>For developers</h2>
${text && html`<p><bdi>${text}</bdi></p>`}
<p><code>${code}</code>: ${meaning.replaceAll('`', '')}</p>
<p>What to do (<code>${remedy}</code>): ${REMEDIES[remedy]}.</p>
<p>This part is for development: NODE_ENV is development or test, or it is not production and callbackURL is on localhost.</p>
</section>`;
}
