import { PATHS } from '../http/paths.js';
import { PAGE_PATHS } from '../pages/paths.js';

export const EVERY_ENDPOINT: readonly string[] = [...Object.values(PATHS), ...Object.values(PAGE_PATHS)];

/** Lists the endpoints whose requests identify the client. */
export const CLIENT_ENDPOINTS: readonly string[] = [
  PATHS.authorize,
  PATHS.token,
  PATHS.revoke,
  PATHS.userinfo,
  PATHS.logout,
  PATHS.currentUser,
  PATHS.colleagues,
  PATHS.rateLimit,
];
