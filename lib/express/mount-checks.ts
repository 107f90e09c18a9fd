import { ConfigurationError } from '../errors/errors.js';
import type { SessionRequest } from '../session/site-session.js';
import { prefixesOf, receivedPath } from './paths.js';

interface MountedPaths {
  /** The paths of the routes in the browser. */
  paths: readonly string[];
  basePath: string;
  origin: string;
  /** See `instanceID()`. */
  instance: string;
}

/**
 * @param isNewApp false if the instances of the request's application were compared before
 * @returns an error if the routes cannot all receive requests, as this request shows
 */
export function mountErrorOf(req: SessionRequest, mounted: MountedPaths, isNewApp: boolean): Error | undefined {
  const { app, baseUrl } = req;
  if (baseUrl && baseUrl !== receivedPath(req)) return mountError(baseUrl, mounted);
  // Only applications of Express are known here.
  return app && isNewApp ? instanceError(app, mounted) : undefined;
}

/**
 * @returns an error if the middleware is mounted below a path that some of its routes are not below, also if a proxy strips
 * `basePath` or its first segments.
 */
function mountError(baseUrl: string, { paths, basePath }: MountedPaths): Error | undefined {
  const prefixes = prefixesOf(basePath);
  const unreachable = paths.find((path) => !prefixes.some((prefix) => path.startsWith(`${prefix}${baseUrl}/`)));
  if (unreachable === undefined) return undefined;
  return new ConfigurationError(
    'mount_path_conflict',
    `passport-clinician: mounted below '${baseUrl}', clinicianLogin() never receives requests for '${unreachable}'. Write app.use(clinician), or put callbackURL below '${baseUrl}' and set option basePath: '${baseUrl}'.`,
  );
}

/** The instance of each URL path that an application serves, or receives if a proxy strips `basePath`. */
const instancesOfApps = new WeakMap<object, Map<string, { instance: string; isStripped: boolean }>>();

/**
 * @returns an error for a path that another instance in the same application has too: only one of them receives its requests.
 * Instances with other origins in `callbackURL` are for other hosts. A proxy strips the prefix of one instance at most.
 */
function instanceError(app: object, { paths, basePath, origin, instance }: MountedPaths): Error | undefined {
  const instances = instancesOfApps.get(app) ?? new Map<string, { instance: string; isStripped: boolean }>();
  instancesOfApps.set(app, instances);
  for (const prefix of prefixesOf(basePath)) {
    const isStripped = prefix !== '';
    for (const path of paths) {
      const received = path.slice(prefix.length);
      const other = instances.get(origin + received);
      if (other === undefined) instances.set(origin + received, { instance, isStripped });
      else if (other.instance !== instance && !(isStripped && other.isStripped)) {
        return new ConfigurationError(
          'mount_path_conflict',
          `passport-clinician: two instances of clinicianLogin() have the path '${received}', so that one of them never receives requests for it. Set callbackURL, basePath or option routes.base of one of them to other paths.`,
        );
      }
    }
  }
  return undefined;
}
