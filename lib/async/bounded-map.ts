/**
 * Extends `Map` to at most `maxEntries` entries: one more drops the entry that was set longest ago. Setting a key again makes it
 * the newest, so a caller that sets what it reads gets least-recently-used order.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    super();
    this.#maxEntries = maxEntries;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#maxEntries) this.delete(this.keys().next().value as K);
    return this;
  }
}
