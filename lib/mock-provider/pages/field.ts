import { html, type Markup } from './html.js';

/** A field of a form. */
interface Field {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password' | 'textarea';
  value?: string | undefined;
  hint?: string;
  /** The problem with the sent value, shown with the field and announced with it by screen readers. */
  problem?: string | undefined;
  /** The id of the element that describes a problem of several fields. */
  problemID?: string | undefined;
  autocomplete?: string;
  inputmode?: 'numeric';
  maxlength?: number;
  isOptional?: boolean;
  hasFocus?: boolean;
}

/** Creates an input whose label, hint and problem are linked to it. */
export function field(line: Field): Markup {
  const { type = 'text', value = '' } = line;
  const input =
    type === 'textarea'
      ? html`<textarea${attributes(line)} rows="5">\n${value}</textarea>`
      : html`<input type="${type}"${attributes(line)} value="${value}">`;
  return wrapField(line, input);
}

export function hiddenFields(fields: Readonly<Record<string, string>>): Markup[] {
  return Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

/** Lists all problems of a form with links to their fields: first on the page, with the focus. */
export function problemSummary(problems: Readonly<Partial<Record<string, string>>>): Markup | undefined {
  const entries = Object.entries(problems);
  if (entries.length === 0) return undefined;
  const item = ([name, text]: [string, string | undefined]) => html`<li><a href="#${name}">${text}</a></li>`;
  return html`<div class="alert" role="alert" tabindex="-1" autofocus><p>Check these fields:</p><ul>${entries.map(item)}</ul></div>`;
}

function wrapField({ name, label, hint, problem, isOptional }: Field, input: Markup): Markup {
  return html`<div class="field">
<label for="${name}">${label}${isOptional && html` <span class="soft">(optional)</span>`}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}${problem !== undefined && html`<p class="problem" id="${name}-problem">${problem}</p>`}
${input}
</div>`;
}

function attributes(line: Field): Markup {
  const { name, hint, problem, isOptional, hasFocus } = line;
  const problemID = line.problemID ?? (problem === undefined ? undefined : `${name}-problem`);
  const described = [hint && `${name}-hint`, problemID].filter(Boolean).join(' ');
  const values = {
    id: name,
    name,
    autocomplete: line.autocomplete,
    inputmode: line.inputmode,
    maxlength: line.maxlength,
    'aria-describedby': described || undefined,
    'aria-invalid': problemID && 'true',
    ...(line.autocomplete === 'username' && { autocapitalize: 'none', spellcheck: 'false' }),
  };
  const written = Object.entries(values).map(([key, value]) => value !== undefined && html` ${key}="${value}"`);
  return html`${written}${!isOptional && html` required`}${hasFocus && html` autofocus`}`;
}
