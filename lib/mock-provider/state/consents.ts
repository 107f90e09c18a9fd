/** Stores the approved scope of each clinician at each application, until `reset()`. */
export class ConsentStore {
  readonly #approved = new Map<string, ReadonlySet<string>>();

  /** @returns true when every scope is approved. */
  covers(sub: string, clientID: string, scope: readonly string[]): boolean {
    const approved = this.#approved.get(key(sub, clientID));
    return approved !== undefined && scope.every((token) => approved.has(token));
  }

  /** Stores the result of a consent page; a requested scope that was not approved is withdrawn. */
  save(sub: string, clientID: string, requested: readonly string[], approved: readonly string[]): void {
    const before = this.#approved.get(key(sub, clientID)) ?? [];
    const others = [...before].filter((token) => !requested.includes(token));
    this.#approved.set(key(sub, clientID), new Set([...others, ...approved]));
  }

  clear(): void {
    this.#approved.clear();
  }
}

function key(sub: string, clientID: string): string {
  return JSON.stringify([sub, clientID]);
}
