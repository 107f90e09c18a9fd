/** A PostgreSQL in its own folder, on a port of 127.0.0.1. It has the user `site`, without a password. */
export interface PostgresProcess {
  readonly url: string;
  start(): Promise<void>;
  /** Stops it, and closes all connections. */
  stop(): Promise<void>;
  /** Ends it without a shutdown: at its next start it recovers from its log. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Stops it and deletes its folder. */
  dispose(): Promise<void>;
}

/**
 * @param program `postgres`; `initdb` is in the same folder
 * @param settings of the server: `name=value`
 */
export function postgresProcess(program: string, port: number, settings: readonly string[]): PostgresProcess;
