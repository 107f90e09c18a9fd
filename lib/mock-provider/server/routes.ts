import { authorize } from '../endpoints/authorize.js';
import { logout } from '../endpoints/logout.js';
import { revoke } from '../endpoints/revoke.js';
import { sessionStatePage } from '../endpoints/session-state.js';
import { token } from '../endpoints/token.js';
import { userinfo } from '../endpoints/userinfo.js';
import { strikeDocument } from '../faults/apply-document-fault.js';
import { PATHS } from '../http/paths.js';
import { answerDocument, type StaticDocument, staticDocument } from '../http/response.js';
import { PAGE_ROUTES } from '../interactions/routes.js';
import { PAGE_PATHS } from '../pages/paths.js';
import { authorizationServerMetadata, openidConfiguration } from '../protocol/metadata.js';
import type { House } from '../provider-instance.js';
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

function jwks({ keys }: House): unknown {
  return { keys: keys.keys().map((key) => key.publicJWK) };
}

function resource(read: Resource): Route {
  return { GET: (house, http) => answerResource(house, http, read), head: true, cors: 'option' };
}

/** A document that anybody may read, made once for each version of what it is made of (decision 64). */
function published(make: (house: House) => unknown, version: (house: House) => string = () => ''): Route {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' };
  const made = new WeakMap<House, { version: string; document: StaticDocument }>();
  const GET: Endpoint = (house, http) => {
    const spoilt = strikeDocument(house, http, () => make(house));
    if (spoilt) return spoilt;
    let known = made.get(house);
    if (known?.version !== version(house)) {
      known = { version: version(house), document: staticDocument(JSON.stringify(make(house)), headers) };
      made.set(house, known);
    }
    return answerDocument(known.document, http.ifNoneMatch);
  };
  return { GET, head: true, cors: 'public' };
}
