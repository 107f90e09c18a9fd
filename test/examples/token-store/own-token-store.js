import { randomUUID } from 'node:crypto';

/** Stores sealed tokens. In your store, a table or collection replaces each Map, and one atomic command each method. */
export class OwnTokenStore {
  grants = new Map();
  locks = new Map();

  async get(id) {
    return current(this.grants, id)?.grant;
  }

  async put(id, grant) {
    this.grants.set(id, { grant: { ...grant }, expiresAt: grant.expiresAt });
  }

  async swap(id, expectedVersion, grant) {
    if (current(this.grants, id)?.grant.version !== expectedVersion) return false;
    this.grants.set(id, { grant: { ...grant }, expiresAt: grant.expiresAt });
    return true;
  }

  async delete(id) {
    this.grants.delete(id);
  }

  async grantsOf(userKey) {
    const ids = [...this.grants.keys()].filter((id) => current(this.grants, id)?.grant.userKey === userKey);
    return ids.sort((one, other) => this.grants.get(one).expiresAt - this.grants.get(other).expiresAt);
  }

  async lock(id, ttlMs) {
    if (current(this.locks, id)) return undefined;
    const owner = randomUUID();
    this.locks.set(id, { owner, expiresAt: Date.now() + ttlMs });
    const release = async () => {
      if (this.locks.get(id)?.owner === owner) this.locks.delete(id);
    };
    return { release };
  }
}

/** Returns an entry that has not expired. A database erases the others itself, or a job does. */
function current(entries, id) {
  const entry = entries.get(id);
  return entry && entry.expiresAt > Date.now() ? entry : undefined;
}
