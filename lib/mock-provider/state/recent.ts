const MAX_VALUES = 200;

/** The newest values, numbered, also after they have ended: for the inspector. */
export class Recent<T> {
  readonly #values: T[] = [];
  #count = 0;

  /** @returns the number of the next value. */
  nextNumber(): number {
    this.#count += 1;
    return this.#count;
  }

  add(value: T): void {
    // In blocks: removing one value at a time would move the whole array each time.
    if (this.#values.length >= 2 * MAX_VALUES) this.#values.splice(0, MAX_VALUES);
    this.#values.push(value);
  }

  /** @returns the values, the oldest first. */
  list(): readonly T[] {
    return this.#values.slice(-MAX_VALUES);
  }

  clear(): void {
    this.#values.length = 0;
    this.#count = 0;
  }
}
