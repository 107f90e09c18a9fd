import type { ServerResponse } from 'node:http';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { sessionCheckFrame, sessionCheckPage, sessionCheckPolicy } from '../html/session-check-page.js';
import { optionError } from '../options/option-table.js';
import type { SessionRequest } from '../session/site-session.js';
import { sendPage } from './responses.js';
import type { ResolvedRoutes } from './routes.js';

/** Checks the session at the service from the pages of signed-in users (OIDC Session Management 1.0). @internal */
export interface SessionCheck {
  /** @returns the frame for a page of the site. Throws where a route that it needs is left out. */
  frame(): string;
  /** Sends the page in that frame. For a signed-out user, and in the `profile` flow, it does nothing. */
  handler(req: SessionRequest, res: ServerResponse): Promise<void>;
}

const NEEDED = ['sessionCheck', 'login', 'callback', 'logout'] as const;

export function createSessionCheck(options: {
  server: Pick<AuthorizationServer, 'checkSessionIframe'>;
  clientID: string;
  routes: ResolvedRoutes;
  script: string;
}): SessionCheck {
  const { server, clientID, routes, script } = options;
  const leftOut = NEEDED.find((name) => routes[name] === false);

  return {
    frame() {
      if (leftOut === undefined) return sessionCheckFrame({ src: routes.sessionCheck as string });
      throw optionError(
        'routes',
        'option_invalid',
        `sessionCheckFrame() needs a route that is left out by routes.${leftOut}: false.`,
      );
    },

    async handler(req, res) {
      const sessionState = req.session?.clinician?.sessionState;
      const checkSessionIframe = sessionState === undefined ? '' : ((await server.checkSessionIframe()) ?? '');
      const page = sessionCheckPage({
        script,
        checkSessionIframe,
        clientID,
        sessionState: leftOut === undefined ? sessionState : undefined,
        silentCheck: `${routes.login || '/'}?prompt=none&frame=check`,
        signOut: routes.logout || '/',
      });
      sendPage(res, 200, page, sessionCheckPolicy(checkSessionIframe));
    },
  };
}
