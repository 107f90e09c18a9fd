/** What each clinician approved for each application: remembered until `reset()` (decision 34). */
export class ConsentStore {
  readonly #approved = new Map<string, ReadonlySet<string>>();

  /** @returns true when every word of the scope was approved before. */
  covers(sub: string, clientID: string, scope: readonly string[]): boolean {
    const approved = this.#approved.get(key(sub, clientID));
    return approved !== undefined && scope.every((word) => approved.has(word));
  }

  /** Keeps the answer to a consent page: what was asked and not approved is withdrawn. */
  remember(sub: string, clientID: string, asked: readonly string[], approved: readonly string[]): void {
    const before = this.#approved.get(key(sub, clientID)) ?? [];
    const kept = [...before].filter((word) => !asked.includes(word));
    this.#approved.set(key(sub, clientID), new Set([...kept, ...approved]));
  }

  clear(): void {
    this.#approved.clear();
  }
}

function key(sub: string, clientID: string): string {
  return JSON.stringify([sub, clientID]);
}
