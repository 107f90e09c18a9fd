import { fileURLToPath } from 'node:url';
import { findRequirements } from '../../../scripts/requirements.mjs';
import { postgresProcess } from '../../contracts/postgres-process.mjs';
import { freePort } from './free-port.mjs';

/** A PostgreSQL with the settings of a new installation: each commit waits for the disk. */
export default async function start() {
  const { env } = findRequirements(fileURLToPath(new URL('../../..', import.meta.url)));
  if (!env.POSTGRES_SERVER) throw new Error('PostgreSQL is not installed.');
  const server = postgresProcess(env.POSTGRES_SERVER, await freePort(), []);
  await server.start();
  return { info: { url: server.url } };
}
