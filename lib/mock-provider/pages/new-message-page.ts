import { PAGE_PATHS } from '../http/paths.js';
import type { Draft } from './draft.js';
import { field, hiddenFields, problemSummary } from './field.js';
import { html, type Markup, truncate } from './html.js';

interface NewMessagePage {
  action: string;
  hidden: Readonly<Record<string, string>>;
  /** The name of the user. */
  from: string;
  draft: Draft;
  problems: Partial<Record<keyof Draft, string>>;
}

/** @returns a form for a new message with the shared values. Only the button sends it. */
export function newMessagePage({ action, hidden, from, draft, problems }: NewMessagePage): Markup {
  const line = (name: keyof Draft, label: string) => ({ name, label, value: draft[name], problem: problems[name] });
  const first = Object.keys(problems).length === 0;
  return html`<h1>New message</h1>
<p class="soft">From <bdi>${truncate(from, 60)}</bdi>. <a href="${PAGE_PATHS.inbox}">Your inbox</a></p>
${problemSummary(problems)}
<form method="post" action="${action}">${hiddenFields(hidden)}
${field({ ...line('to', 'To'), hint: 'The user name of a clinician here, or any other name', autocomplete: 'off', maxlength: 100, hasFocus: first })}
${field({ ...line('subject', 'Subject'), autocomplete: 'off', maxlength: 200 })}
${field({ ...line('message', 'Message'), type: 'textarea', maxlength: 5000, isOptional: draft.url !== '' })}
${draft.url !== '' && html`<p>Shared with it: <a href="${draft.url}" rel="noopener noreferrer" target="_blank">${draft.url}</a></p><input type="hidden" name="url" value="${draft.url}">`}
<button type="submit">Send</button>
</form>`;
}
