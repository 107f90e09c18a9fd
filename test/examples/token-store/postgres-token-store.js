import { randomUUID } from 'node:crypto';

export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS clinician_grants (
    id text PRIMARY KEY,
    user_key text NOT NULL,
    version integer NOT NULL,
    sealed text NOT NULL,
    expires_at double precision NOT NULL
  );
  CREATE INDEX IF NOT EXISTS clinician_grants_of_user ON clinician_grants (user_key, expires_at);
  CREATE TABLE IF NOT EXISTS clinician_locks (
    id text PRIMARY KEY,
    owner text NOT NULL,
    expires_at double precision NOT NULL
  );
`;

/** Stores sealed tokens in PostgreSQL. */
export class PostgresTokenStore {
  /** @param {{ query(text: string, values: unknown[]): Promise<{ rows: any[] }> }} pool a Pool of the package pg */
  constructor(pool) {
    this.pool = pool;
  }

  async get(id) {
    const columns = 'user_key AS "userKey", version, sealed, expires_at AS "expiresAt"';
    const text = `SELECT ${columns} FROM clinician_grants WHERE id = $1 AND expires_at > $2`;
    const { rows } = await this.pool.query(text, [id, Date.now()]);
    return rows[0];
  }

  async put(id, { userKey, version, sealed, expiresAt }) {
    const text = `
      INSERT INTO clinician_grants (id, user_key, version, sealed, expires_at) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (id) DO UPDATE SET user_key = $2, version = $3, sealed = $4, expires_at = $5`;
    await this.pool.query(text, [id, userKey, version, sealed, expiresAt]);
  }

  /** One statement, so that only one of several processes succeeds. */
  async swap(id, expectedVersion, { userKey, version, sealed, expiresAt }) {
    const text = `
      UPDATE clinician_grants SET user_key = $2, version = $3, sealed = $4, expires_at = $5
      WHERE id = $1 AND version = $6 AND expires_at > $7 RETURNING id`;
    const values = [id, userKey, version, sealed, expiresAt, expectedVersion, Date.now()];
    const { rows } = await this.pool.query(text, values);
    return rows.length === 1;
  }

  async delete(id) {
    await this.pool.query('DELETE FROM clinician_grants WHERE id = $1', [id]);
  }

  async grantsOf(userKey) {
    const text = 'SELECT id FROM clinician_grants WHERE user_key = $1 AND expires_at > $2 ORDER BY expires_at';
    const { rows } = await this.pool.query(text, [userKey, Date.now()]);
    return rows.map((row) => row.id);
  }

  /** Inserts the lock, or replaces one that has expired. */
  async lock(id, ttlMs) {
    const owner = randomUUID();
    const now = Date.now();
    const text = `
      INSERT INTO clinician_locks (id, owner, expires_at) VALUES ($1, $2, $3)
      ON CONFLICT (id) DO UPDATE SET owner = $2, expires_at = $3 WHERE clinician_locks.expires_at <= $4 RETURNING id`;
    const { rows } = await this.pool.query(text, [id, owner, now + ttlMs, now]);
    if (rows.length === 0) return undefined;
    const release = async () => {
      await this.pool.query('DELETE FROM clinician_locks WHERE id = $1 AND owner = $2', [id, owner]);
    };
    return { release };
  }
}
