import { PAGE_PATHS } from '../http/paths.js';
import type { InboxMessage } from '../state/inbox.js';
import { html, type Markup, truncate } from './html.js';

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
