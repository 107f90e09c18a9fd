/** One message that a clinician sent from the service's new-message page. */
export interface InboxMessage {
  readonly id: string;
  /** Milliseconds since the epoch, by the provider's clock. */
  readonly at: number;
  /** The sender's username. */
  readonly from: string;
  /** As entered: the username of a clinician or any other text. */
  readonly to: string;
  readonly subject: string;
  readonly message: string;
  /** The shared URL, http or https. */
  readonly url?: string;
}

/** The messages of the share button and the inbox: `provider.inbox`. */
export interface Inbox {
  /** @returns all messages, or those that one clinician sent or received; the oldest first. */
  messages(username?: string): InboxMessage[];
}

/** Above it a new message replaces the oldest. */
const MAX_MESSAGES = 1000;

export class InboxStore implements Inbox {
  readonly #messages: InboxMessage[] = [];

  add(message: InboxMessage): void {
    if (this.#messages.length >= MAX_MESSAGES) this.#messages.shift();
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
