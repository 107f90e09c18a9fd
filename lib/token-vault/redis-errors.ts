import type { Database } from './store-errors.js';

const CLUSTER = 'This Redis is a Cluster: pass the client of createCluster(), or new Cluster() of ioredis.';

/** The error replies of Redis, and the errors of its clients. */
export const REDIS: Database = {
  name: 'Redis',
  unit: 'command',
  unreachable: 'Redis cannot be reached.',
  temporary: /^(?:LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|NOREPLICAS|READONLY|OOM|MISCONF|WRONGPASS)$/,
  fixes: {
    NOAUTH: 'It requires a password: set username and password of the client.',
    WRONGPASS: 'Username or password of the client is wrong, or the user is disabled.',
    NOPERM: 'Allow its user the commands and keys that the guide Redis lists.',
    READONLY: 'The client is connected to a replica: connect it to the master, or to the Sentinels.',
    OOM: 'It has reached its maxmemory: raise it, or store other data elsewhere.',
    WRONGTYPE: 'Another application uses the same keys: set the option prefix.',
    MISCONF: 'It cannot save its data: see its log, and free disk space.',
    DENIED: 'It is in protected mode: set a password, and the option bind.',
    MOVED: CLUSTER,
    ASK: CLUSTER,
    CROSSSLOT: 'A prefix of the client or of this store prevents a hash tag: remove "{}" from it.',
  },
  codeOf: replyCodeOf,
  // The option `commandTimeout` of ioredis may be shorter than the time limit of the store.
  isTimeout: (error) => error instanceof Error && error.message === 'Command timed out',
};

/** The first word of an error reply, in capitals. Errors of the clients start with other words. */
const CODE = /^([A-Z][A-Z0-9]{2,}) /;
/** How Redis 6 reports an error of a command in a script. Redis 7 starts with the code. */
const CODE_IN_SCRIPT = /@user_script: ?\d+: -?([A-Z][A-Z0-9]{2,}) /;
/** How Redis 7.0 reports `NOPERM` of a command in a script. */
const NOPERM_IN_SCRIPT = 'The user executing the script';
/** Texts of errors with the code `ERR` that end by themselves. */
const TEMPORARY_TEXT = /max number of clients reached|non local key/;

/** @returns the code of an error reply of Redis, such as `NOPERM`; undefined for any other error. */
function replyCodeOf(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : '';
  const code = CODE.exec(message)?.[1];
  if (code !== 'ERR') return code;
  if (TEMPORARY_TEXT.test(message)) return undefined;
  if (message.includes(NOPERM_IN_SCRIPT)) return 'NOPERM';
  return CODE_IN_SCRIPT.exec(message)?.[1] ?? code;
}
