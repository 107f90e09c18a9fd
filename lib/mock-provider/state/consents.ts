/** Stores what each clinician approved and refused at each application, until `reset()`. */
export class ConsentStore {
  /** True for an approved scope, false for a refused one. */
  readonly #decisions = new Map<string, Map<string, boolean>>();

  /** @returns true when every scope was approved or refused, and at least one approved. */
  covers(sub: string, clientID: string, scope: readonly string[]): boolean {
    const decisions = this.#decisions.get(key(sub, clientID));
    return scope.every((token) => decisions?.has(token)) && scope.some((token) => decisions?.get(token));
  }

  /** @returns the scopes that were approved. */
  approved(sub: string, clientID: string, scope: readonly string[]): readonly string[] {
    const decisions = this.#decisions.get(key(sub, clientID));
    const isApproved = (token: string) => decisions?.get(token) === true;
    return scope.every(isApproved) ? scope : scope.filter(isApproved);
  }

  /** Stores the result of a consent page. */
  save(sub: string, clientID: string, requested: readonly string[], approved: readonly string[]): void {
    const decisions = this.#decisions.get(key(sub, clientID)) ?? new Map<string, boolean>();
    for (const token of requested) decisions.set(token, approved.includes(token));
    this.#decisions.set(key(sub, clientID), decisions);
  }

  clear(): void {
    this.#decisions.clear();
  }
}

function key(sub: string, clientID: string): string {
  return JSON.stringify([sub, clientID]);
}
