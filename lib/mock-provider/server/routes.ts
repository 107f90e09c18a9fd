import { createAuthorizationEndpoint } from '../endpoints/authorize.js';
import {
  createAuthorizationServerEndpoint,
  createKeysEndpoint,
  createOpenIDConfigurationEndpoint,
  createSessionStateEndpoint,
  STATIC_FILES,
} from '../endpoints/documents.js';
import { createLogoutEndpoint } from '../endpoints/logout.js';
import { createRevocationEndpoint } from '../endpoints/revoke.js';
import { createTokenEndpoint } from '../endpoints/token.js';
import { userinfo } from '../endpoints/userinfo.js';
import { type Address, isAtAddress, PAGE_PATHS, PATHS } from '../http/paths.js';
import { BrowserSessions } from '../interactions/browser-sessions.js';
import { createInteractions } from '../interactions/interactions.js';
import { refuseFrames, refuseRepetition } from '../interactions/page-checks.js';
import { AuthorizationResponses } from '../protocol/authorization/authorization-response.js';
import type { Route } from '../protocol/endpoint.js';
import { createIDTokenIssuer } from '../protocol/id-token.js';
import type { ProviderInstance } from '../provider-instance.js';
import { createColleagues } from '../resources/colleagues.js';
import { createCurrentUser } from '../resources/current-user.js';
import { createInboxPages } from '../resources/inbox.js';
import { RATE_LIMIT_STATUS, type Resource, ResourceAPI } from '../resources/resources.js';

/** The routes of one provider. */
export interface RouteTable {
  /** @param address where the path is requested; undefined if the issuer and the API have one origin */
  find(path: string, address?: Address): Route | undefined;
  readonly resourceAPI: ResourceAPI;
  readonly browserSessions: Pick<BrowserSessions, 'cookiesOfEnded'>;
}

/** Creates every endpoint of a provider with the stores that it needs. */
export function createRoutes(instance: ProviderInstance): RouteTable {
  const { issuer, apiURL, cookies, keys, options } = instance;
  const issueIDToken = createIDTokenIssuer(instance);
  const responses = new AuthorizationResponses({ ...instance, issueIDToken });
  const browserSessions = new BrowserSessions(instance);
  const interactions = createInteractions({
    ...instance,
    browserSessions,
    responses,
    verification: options.verification,
  });
  const { dispatch, signOutPages } = interactions;
  const resourceAPI = new ResourceAPI(instance);
  const inbox = createInboxPages({ ...instance, browserSessions });
  const metadata = { issuer, issParameter: options.issParameter };

  const authorize = createAuthorizationEndpoint({ ...instance, responses, dispatch });
  const token = createTokenEndpoint({ ...instance, issueIDToken });
  const logout = createLogoutEndpoint({ ...instance, browserSessions, signOutPages });
  const resource = (one: Resource): Route => ({ GET: resourceAPI.endpoint(one), head: true });

  const pages: readonly (readonly [path: string, Route])[] = [
    [PAGE_PATHS.newMessage, { GET: inbox.newMessage, head: true }],
    [PAGE_PATHS.inbox, { ...inbox.inbox, head: true }],
    ...interactions.routes.map(([path, route]) => [path, refuseFrames(route)] as const),
  ];
  const routes: readonly (readonly [path: string, Route])[] = [
    [PATHS.openidConfiguration, { GET: createOpenIDConfigurationEndpoint(metadata), head: true, cors: 'public' }],
    [PATHS.authorizationServer, { GET: createAuthorizationServerEndpoint(metadata), head: true, cors: 'public' }],
    [PATHS.jwks, { GET: createKeysEndpoint(keys), head: true, cors: 'public' }],
    [PATHS.authorize, refuseFrames({ GET: authorize, POST: authorize })],
    [PATHS.token, { POST: token }],
    [PATHS.revoke, { POST: createRevocationEndpoint(instance) }],
    [PATHS.userinfo, { GET: userinfo, POST: userinfo, head: true, cors: 'bearer' }],
    [PATHS.logout, { GET: logout, POST: logout }],
    [PATHS.sessionState, { GET: createSessionStateEndpoint(cookies), head: true }],
    [PATHS.currentUser, resource(createCurrentUser(options))],
    [PATHS.colleagues, resource(createColleagues({ ...options, apiURL }))],
    [PATHS.rateLimit, resource(RATE_LIMIT_STATUS)],
    ...pages.map(([path, route]) => [path, refuseRepetition(route)] as const),
    ...STATIC_FILES,
  ];
  const byPath = new Map(routes);
  return {
    find: (path, address) => (isAtAddress(path, address) ? byPath.get(path) : undefined),
    resourceAPI,
    browserSessions,
  };
}
