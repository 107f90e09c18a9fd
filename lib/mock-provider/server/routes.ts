import { authorize } from '../endpoints/authorize.js';
import { logout } from '../endpoints/logout.js';
import { revoke } from '../endpoints/revoke.js';
import { sessionStatePage } from '../endpoints/session-state.js';
import { token } from '../endpoints/token.js';
import { userinfo } from '../endpoints/userinfo.js';
import { PATHS } from '../http/paths.js';
import { documentResponse, type StaticDocument, staticDocument } from '../http/response.js';
import { PAGE_ROUTES } from '../interactions/routes.js';
import { PAGE_PATHS } from '../pages/paths.js';
import { authorizationServerMetadata, openidConfiguration } from '../protocol/metadata.js';
import type { ProviderInstance } from '../provider-instance.js';
import { colleagues } from '../resource-api/colleagues.js';
import { currentUser } from '../resource-api/current-user.js';
import { inbox, newMessage, sendMessage } from '../resource-api/inbox.js';
import { rateLimit } from '../resource-api/rate-limit.js';
import { answerResource, type Resource } from '../resource-api/resource-api.js';
import { shareScript } from '../resource-api/share-script.js';
import type { Endpoint, Route } from './route.js';

/** The route table: fixed paths, so a Map and no framework. */
export const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  [PATHS.openidConfiguration, published(openidConfiguration)],
  [PATHS.authorizationServer, published(authorizationServerMetadata)],
  [PATHS.jwks, published(jwks, ({ keys }) => keys.published.join(' '))],
  [PATHS.authorize, { GET: authorize, POST: authorize }],
  [PATHS.token, { POST: token }],
  [PATHS.revoke, { POST: revoke }],
  [PATHS.userinfo, { GET: userinfo, POST: userinfo, head: true, cors: 'bearer' }],
  [PATHS.logout, { GET: logout, POST: logout }],
  [PATHS.currentUser, resource(currentUser)],
  [PATHS.colleagues, resource(colleagues)],
  [PATHS.rateLimit, resource(rateLimit)],
  [PATHS.sessionState, { GET: sessionStatePage, head: true }],
  [PAGE_PATHS.newMessage, { GET: newMessage, head: true }],
  [PAGE_PATHS.inbox, { GET: inbox, POST: sendMessage, head: true }],
  [PAGE_PATHS.shareScript, { GET: shareScript, head: true }],
  ...PAGE_ROUTES,
]);

function jwks({ keys }: ProviderInstance): unknown {
  return { keys: keys.keys().map((key) => key.publicJWK) };
}

function resource(read: Resource): Route {
  return { GET: (instance, http) => answerResource(instance, http, read), head: true, cors: 'option' };
}

/** A document that anybody may read, made once for each version of what it is made of (decision 64). */
function published(
  make: (instance: ProviderInstance) => unknown,
  version: (instance: ProviderInstance) => string = () => '',
): Route {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' };
  const made = new WeakMap<ProviderInstance, { version: string; document: StaticDocument }>();
  const GET: Endpoint = (instance, http) => {
    let known = made.get(instance);
    if (known?.version !== version(instance)) {
      known = { version: version(instance), document: staticDocument(JSON.stringify(make(instance)), headers) };
      made.set(instance, known);
    }
    return documentResponse(known.document, http.ifNoneMatch);
  };
  return { GET, head: true, cors: 'public' };
}
