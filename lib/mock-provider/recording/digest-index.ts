/** More than the requests that are kept bring and give. */
const GENERATION = 12_000;

/**
 * Which login a digest belongs to. It forgets by the generation: what was not met again while so many new ones came goes,
 * as taking the oldest out of a Map one by one would cost more and more.
 */
export class DigestIndex {
  #young = new Map<string, number>();
  #old = new Map<string, number>();

  get(key: string): number | undefined {
    const found = this.#young.get(key);
    if (found !== undefined) return found;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, login: number): void {
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, login);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
