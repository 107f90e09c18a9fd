import { ConfigurationError } from '../errors/errors.js';
import { isBelow } from '../http/url.js';
import type { Visit } from '../session/visit.js';

/**
 * @param basePath what a proxy may strip
 * @param paths the paths of the routes in the browser
 * @returns an error if the middleware is mounted below a path that some of its routes are not below
 */
export function mountError(
  { req, receivedPath }: Visit,
  basePath: string,
  paths: readonly string[],
): ConfigurationError | undefined {
  const { baseUrl = '' } = req;
  // Express 5 matches a wildcard without the slash at the end of the path.
  if ([baseUrl, `${baseUrl}/`].includes(receivedPath)) return undefined;
  const isReachable = (path: string) => ['', basePath].some((prefix) => isBelow(path, prefix + baseUrl));
  const unreachable = paths.find((path) => !isReachable(path));
  if (unreachable === undefined) return undefined;
  return new ConfigurationError(
    'mount_path_conflict',
    `passport-clinician: mounted below '${baseUrl}', clinicianLogin() never receives requests for '${unreachable}'. Write app.use(clinician), or put callbackURL below '${baseUrl}' and set option basePath: '${baseUrl}'.`,
  );
}
