import { PATHS } from '../http/paths.js';
import { PAGE_PATHS } from '../pages/paths.js';

/** Every path that there is. */
export const EVERY_ENDPOINT: readonly string[] = [...Object.values(PATHS), ...Object.values(PAGE_PATHS)];

/** The paths at which the client that asks is known. */
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
