import { ERROR_MEANINGS, REMEDIES } from '../errors/error-codes.js';
import { type ClinicianError, summarizeError } from '../errors/errors.js';
import { type HTML, html } from './escape.js';

/** The messages of this package are shorter. */
const MAX_LENGTH = 2000;

/** @returns what developers need to know of an error, for pages in development: its message and what to do, without a stack. */
export function developerNotes({ code, message, remedy, cause }: ClinicianError): HTML {
  const text = message.replace(/^passport-clinician: /, '').slice(0, MAX_LENGTH);
  const meaning = ERROR_MEANINGS.get(code) ?? 'An error of the service.';
  return html`<section class="clinician-note" lang="en" dir="ltr">
<h2>For developers</h2>
<p><bdi>${text}</bdi></p>
${cause !== undefined && html`<p>Cause: <bdi>${summarizeError(cause).message}</bdi></p>`}
<p><code>${code}</code>: ${meaning.replaceAll('`', '')}</p>
<p>What to do (<code>${remedy}</code>): ${REMEDIES[remedy]}.</p>
<p>The page Errors of the documentation lists this code.</p>
<p>This part is for development: NODE_ENV is development or test, or it is not production and callbackURL is on localhost.</p>
</section>`;
}
