import { PAGE_PATHS, PATHS } from '../http/paths.js';

const SERVICE_PATHS = Object.values(PATHS);

export const EVERY_ENDPOINT: readonly string[] = [...SERVICE_PATHS, ...Object.values(PAGE_PATHS)];

/** Lists the endpoints whose requests identify the client. Every request to the resource API does. */
export const CLIENT_ENDPOINTS: readonly string[] = [
  ...[PATHS.authorize, PATHS.token, PATHS.revoke, PATHS.userinfo, PATHS.logout],
  ...SERVICE_PATHS.filter((path) => path.startsWith('/api/')),
];
