import { MAX_LISTED } from './token-store.js';

/** The statements of {@link PostgresTokenStore}. `now()` is the clock of the server, which all processes share. */
export interface StatementTexts {
  readonly find: string;
  readonly put: string;
  readonly swap: string;
  readonly remove: string;
  readonly list: string;
  readonly lock: string;
  readonly release: string;
  readonly removeExpired: string;
  readonly exists: string;
  readonly create: string;
}

/** The number of rows that one statement erases, so that it takes milliseconds. */
export const MAX_REMOVED = 1_000;

/** @param table a name that needs no escaping: `table` or `schema.table` */
export function statementsFor(table: string): StatementTexts {
  const quoted = table.replace(/\w+/g, '"$&"');
  const name = table.split('.').at(-1);
  const grant = "instance = $1 AND kind = 'grant' AND id = $2";
  const assignments = `user_key = $3, version = $4, content = $5, grant_expires_at = $6,
    expires_at = now() + $7 * interval '1 millisecond'`;
  return {
    find: `SELECT user_key, version::text, content, grant_expires_at::text
      FROM ${quoted} WHERE ${grant} AND expires_at > now()`,
    put: `INSERT INTO ${quoted} (instance, kind, id, user_key, version, content, grant_expires_at, expires_at)
      VALUES ($1, 'grant', $2, $3, $4, $5, $6, now() + $7 * interval '1 millisecond')
      ON CONFLICT (instance, kind, id) DO UPDATE SET ${assignments}`,
    swap: `UPDATE ${quoted} SET ${assignments} WHERE ${grant} AND expires_at > now() AND version = $8 RETURNING id`,
    remove: `DELETE FROM ${quoted} WHERE ${grant}`,
    list: `SELECT id FROM ${quoted} WHERE instance = $1 AND user_key = $2 AND expires_at > now()
      ORDER BY grant_expires_at LIMIT ${MAX_LISTED}`,
    lock: `INSERT INTO ${quoted} AS stored (instance, kind, id, content, expires_at)
      VALUES ($1, 'lock', $2, $3, now() + $4 * interval '1 millisecond')
      ON CONFLICT (instance, kind, id) DO UPDATE SET content = EXCLUDED.content, expires_at = EXCLUDED.expires_at
      WHERE stored.expires_at <= now() RETURNING id`,
    release: `DELETE FROM ${quoted} WHERE instance = $1 AND kind = 'lock' AND id = $2 AND content = $3`,
    // Waits for no other transaction: another process may erase the same rows.
    removeExpired: `DELETE FROM ${quoted} WHERE (instance, kind, id) IN (
      SELECT instance, kind, id FROM ${quoted} WHERE expires_at <= now()
      ORDER BY expires_at LIMIT ${MAX_REMOVED} FOR UPDATE SKIP LOCKED) RETURNING kind`,
    exists: "SELECT 1 FROM pg_class WHERE oid = to_regclass($1) AND relkind NOT IN ('i', 'I')",
    // One transaction. IF NOT EXISTS would skip an index if anything else has its name.
    create: `CREATE TABLE ${quoted} (
  instance text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  user_key text COLLATE "C",
  version bigint,
  content text NOT NULL,
  grant_expires_at double precision,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (instance, kind, id)
);
CREATE INDEX "${name}_user" ON ${quoted} (instance, user_key) WHERE user_key IS NOT NULL;
CREATE INDEX "${name}_expiry" ON ${quoted} (expires_at);`,
  };
}
