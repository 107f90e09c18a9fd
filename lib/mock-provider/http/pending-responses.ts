/** Tracks the responses that are not sent yet, so that a stopping provider can end them. */
export class PendingResponses {
  readonly #aborts = new Set<() => void>();
  /** True once the provider has stopped. */
  isStopped = false;

  /** @param abort ends the response. @returns the function to call once it was sent */
  add(abort: () => void): () => void {
    this.#aborts.add(abort);
    return () => this.#aborts.delete(abort);
  }

  abortAll(): void {
    this.isStopped = true;
    for (const abort of this.#aborts) abort();
    this.#aborts.clear();
  }
}
