import { PAGE_PATHS, PATHS } from '../http/paths.js';
import type { FaultKind } from './fault.js';

const SERVICE_PATHS = Object.values(PATHS);

/** The first one is the default. */
const EVERY_ENDPOINT: readonly string[] = [...new Set([PATHS.token, ...SERVICE_PATHS, ...Object.values(PAGE_PATHS)])];

/** The endpoints whose requests identify the client. Every request to the resource API does. */
export const CLIENT_ENDPOINTS: readonly string[] = [
  ...[PATHS.authorize, PATHS.token, PATHS.revoke, PATHS.userinfo, PATHS.logout],
  ...SERVICE_PATHS.filter((path) => path.startsWith('/api/')),
];

/** The endpoints of each kind of fault, for those that have none of their own. */
export const ENDPOINTS_OF_KIND: Readonly<Record<FaultKind, readonly string[]>> = {
  idToken: [PATHS.token],
  tokenResponse: [PATHS.token],
  redirect: [PATHS.authorize],
  logout: [PATHS.logout],
  document: [PATHS.openidConfiguration, PATHS.authorizationServer, PATHS.jwks],
  userinfo: [PATHS.userinfo],
  profile: [PATHS.currentUser],
  failure: EVERY_ENDPOINT,
  response: EVERY_ENDPOINT,
};
