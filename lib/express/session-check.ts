import type { ServerResponse } from 'node:http';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { sessionCheckPage, sessionCheckPolicy } from '../html/session-check-page.js';
import type { SiteRequest } from '../session/site-session.js';
import { sendPage } from './responses.js';
import type { Routes } from './routes.js';

/**
 * @returns a handler that sends the page that checks the session at the service (OIDC Session Management 1.0). For a signed-out user,
 * in the `profile` flow, and where a route that it needs is left out, the page does nothing.
 */
export function createSessionCheck(options: {
  server: Pick<AuthorizationServer, 'checkSessionIframe'>;
  clientID: string;
  routes: Routes;
  script: string;
}): (req: SiteRequest, res: ServerResponse) => Promise<void> {
  const { server, clientID, routes, script } = options;
  const hasRoutes = Boolean(routes.login && routes.logout && routes.callback !== false);

  return async function clinicianSessionCheck(req, res) {
    const sessionState = req.session?.clinician?.sessionState;
    const checkSessionIframe = sessionState === undefined ? '' : ((await server.checkSessionIframe()) ?? '');
    const page = sessionCheckPage({
      script,
      checkSessionIframe,
      clientID,
      sessionState: hasRoutes ? sessionState : undefined,
      silentCheck: `${routes.login || '/'}?prompt=none&frame=check`,
      signOut: routes.logout || '/',
    });
    sendPage(res, 200, page, sessionCheckPolicy(checkSessionIframe));
  };
}
