/** The answers that are still to come, late or never: what stands in the way of an end. */
export class PendingResponses {
  readonly #ends = new Set<() => void>();
  #isOver = false;

  /** True once nothing is answered any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** @param end breaks this one off. @returns what to call when it came to its own end. */
  add(end: () => void): () => void {
    this.#ends.add(end);
    return () => this.#ends.delete(end);
  }

  breakOff(): void {
    this.#isOver = true;
    for (const end of this.#ends) end();
    this.#ends.clear();
  }
}
