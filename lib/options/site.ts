import type { Clock } from '../async/clock.js';
import type { FlowName } from '../authorization-server/flows.js';
import type { ResolvedRoutes } from './routes.js';

/** The site as its options describe it, checked and with their defaults. @internal */
export interface Site {
  /** The site's own origin, of `callbackURL`. */
  readonly origin: string;
  readonly callbackURL: string;
  /** The path of `callbackURL`. */
  readonly callbackPath: string;
  readonly issuer: string;
  readonly clientID: string;
  readonly flow: FlowName;
  readonly apiURL: string | undefined;
  readonly scope: readonly string[];
  readonly optionalScope: readonly string[];
  readonly routes: ResolvedRoutes;
  /**
   * True if NODE_ENV is `development` or `test`, or if it is not `production` and the host of `callbackURL` is a loopback host: what
   * helps developers is printed and shown.
   */
  readonly isDevelopment: boolean;
  readonly clock: Clock;
}
