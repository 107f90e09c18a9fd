/** One message that a clinician sent from the service's new-message page. */
export interface InboxMessage {
  readonly id: string;
  /** Milliseconds since the epoch, by the provider's clock. */
  readonly at: number;
  /** The sender's user name. */
  readonly from: string;
  /** As it was written: the user name of a clinician, or anything else. */
  readonly to: string;
  readonly subject: string;
  readonly message: string;
  /** The address that was shared; http(s) only. */
  readonly url?: string;
}

/** What was sent by the share button and the inbox: `provider.inbox`. */
export interface Inbox {
  /** @returns the messages, the oldest first: all, or those that one clinician sent or received. */
  messages(username?: string): InboxMessage[];
}

/** How many are kept: the newest. */
const LIMIT = 1000;

export class InboxStore implements Inbox {
  readonly #messages: InboxMessage[] = [];

  add(message: InboxMessage): void {
    if (this.#messages.length >= LIMIT) this.#messages.shift();
    this.#messages.push(message);
  }

  messages(username?: string): InboxMessage[] {
    if (username === undefined) return [...this.#messages];
    return this.#messages.filter(({ from, to }) => from === username || to === username);
  }

  clear(): void {
    this.#messages.length = 0;
  }
}
