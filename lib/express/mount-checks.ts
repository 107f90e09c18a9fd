import { ConfigurationError } from '../errors/errors.js';
import type { Events } from '../events/events.js';
import { isBelow } from '../http/url.js';
import type { SessionRequest } from '../session/site-session.js';
import type { Visits } from '../session/visit.js';
import { receivedPath } from './paths.js';

/**
 * @param basePath what a proxy may strip
 * @param paths the paths of the routes in the browser
 * @returns an error if the middleware is mounted below a path that some of its routes are not below
 */
export function mountError(
  req: SessionRequest,
  basePath: string,
  paths: readonly string[],
): ConfigurationError | undefined {
  const { baseUrl = '' } = req;
  // Express 5 matches a wildcard without the slash at the end of the path.
  if ([baseUrl, `${baseUrl}/`].includes(receivedPath(req))) return undefined;
  const isReachable = (path: string) => ['', basePath].some((prefix) => isBelow(path, prefix + baseUrl));
  const unreachable = paths.find((path) => !isReachable(path));
  if (unreachable === undefined) return undefined;
  return new ConfigurationError(
    'mount_path_conflict',
    `passport-clinician: mounted below '${baseUrl}', clinicianLogin() never receives requests for '${unreachable}'. Write app.use(clinician), or put callbackURL below '${baseUrl}' and set option basePath: '${baseUrl}'.`,
  );
}

/** Reports once that the middleware has not received a request that leads to the sign-in: it may not receive the callback either. @internal */
export class MountCheck {
  readonly #visits: Visits;
  readonly #events: Pick<Events, 'reportError'>;
  #isReported = false;

  constructor(visits: Visits, events: Pick<Events, 'reportError'>) {
    this.#visits = visits;
    this.#events = events;
  }

  /** The request continues: a site may do without the middleware, if Passport has the routes. */
  reportMissing(req: SessionRequest): void {
    if (this.#isReported || this.#visits.of(req).isReceived) return;
    this.#isReported = true;
    const error =
      this.#visits.duplicateError(req) ??
      new ConfigurationError(
        'middleware_missing',
        'passport-clinician: clinicianLogin() has not received a request that needs a sign-in: app.use(clinician) is missing, after this route, below a path, or has another sign-in that was created twice. Put app.use(clinician) without a path after session(), before your routes.',
      );
    this.#events.reportError(error);
  }
}
