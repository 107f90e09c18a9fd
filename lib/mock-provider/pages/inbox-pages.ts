import type { Parameters } from '../http/parameters.js';
import { PAGE_PATHS } from '../http/paths.js';
import type { InboxMessage } from '../state/inbox.js';
import { field, hiddenFields, problemSummary } from './field.js';
import { html, type Markup, truncate } from './html.js';

/** A message before it is sent. */
export interface Draft {
  to: string;
  subject: string;
  message: string;
  /** The shared URL, or an empty string. */
  url: string;
}

/** Limits the number of characters. */
const MAX_LENGTHS: Readonly<Record<keyof Draft, number>> = { to: 100, subject: 200, message: 5000, url: 2000 };

/** @returns the draft in a query or a form, shortened to {@link MAX_LENGTHS}; a URL that is not http or https is dropped. */
export function cleanDraft(parameters: Parameters): Draft {
  const text = (name: keyof Draft) =>
    [...(parameters.get(name) ?? '').slice(0, 100_000)].slice(0, MAX_LENGTHS[name]).join('');
  const line = (name: keyof Draft) => text(name).replace(/\s+/g, ' ').trim();
  const message = text('message').replaceAll('\r\n', '\n').trim();
  return { to: line('to'), subject: line('subject'), message, url: linkOf(parameters.get('url')) };
}

export function draftProblems({ to, subject, message, url }: Draft): Partial<Record<keyof Draft, string>> {
  return {
    ...(to === '' && { to: 'Enter a recipient.' }),
    ...(subject === '' && { subject: 'Enter a subject.' }),
    ...(message === '' && url === '' && { message: 'Enter a message.' }),
  };
}

function linkOf(address: string | undefined): string {
  if (address === undefined || address.length > MAX_LENGTHS.url || !/^https?:\/\//i.test(address)) return '';
  return URL.canParse(address) ? new URL(address).href : '';
}

interface InboxPage {
  username: string;
  displayName: string;
  /** The newest first. */
  messages: readonly InboxMessage[];
  /** True after a message was sent. */
  isSent: boolean;
}

/** @returns the page with the sent and received messages of a user. */
export function inboxPage({ username, displayName, messages, isSent }: InboxPage): Markup {
  return html`<h1>Your inbox</h1>
<p class="soft">Signed in as <bdi>${truncate(displayName, 60)}</bdi>. <a href="${PAGE_PATHS.signOut}">Sign out</a></p>
${isSent && html`<p class="good" role="status">Your message was sent.</p>`}
${messages.length === 0 ? html`<p>No messages yet.</p>` : html`<ul class="messages">${messages.map((message) => messageItem(message, username))}</ul>`}
<p><a class="button" href="${PAGE_PATHS.newMessage}">New message</a></p>`;
}

function messageItem({ from, to, subject, message, url, at }: InboxMessage, username: string): Markup {
  const other = from === username ? html`Sent to <bdi>${to}</bdi>` : html`From <bdi>${from}</bdi>`;
  const time = new Date(at).toISOString();
  return html`<li><h2><bdi>${subject}</bdi></h2><p class="soft">${other}, <time datetime="${time}">${time.slice(0, 16).replace('T', ' ')} UTC</time></p>
<p class="text"><bdi>${message}</bdi></p>
${url !== undefined && html`<p><a href="${url}" rel="noopener noreferrer" target="_blank">${url}</a></p>`}</li>`;
}

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
