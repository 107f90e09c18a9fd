const MOST = 200;

/** The newest things of one kind, numbered, also those that have ended: for whoever looks on. */
export class Recent<T> {
  readonly #things: T[] = [];
  #made = 0;

  /** @returns the number for the next one. */
  nextNumber(): number {
    this.#made += 1;
    return this.#made;
  }

  add(thing: T): void {
    // Half of the room at a time: taking them away one by one would move the whole array each time.
    if (this.#things.length >= 2 * MOST) this.#things.splice(0, MOST);
    this.#things.push(thing);
  }

  /** The oldest first. */
  list(): readonly T[] {
    return this.#things.slice(-MOST);
  }

  clear(): void {
    this.#things.length = 0;
    this.#made = 0;
  }
}
