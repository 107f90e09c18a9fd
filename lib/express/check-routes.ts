import { failOption } from '../options/option-names.js';

const NAMES = ['login', 'callback', 'logout', 'forget', 'loggedOut', 'sessionCheck', 'clientScript', 'stylesheet'];
const PATH = /^\/[^\s?#]*$/;

function checkRoute(name: string, path: unknown): void {
  if (!NAMES.includes(name)) {
    failOption('option_misspelled', `there is no route '${name}'. The routes are: ${NAMES.join(', ')}.`);
  }
  if (name === 'callback') {
    if (typeof path === 'boolean' || path === undefined) return;
    failOption('option_invalid', "routes.callback is true or false: its path is that of 'callbackURL'.");
  }
  if (path === false || path === undefined || (typeof path === 'string' && PATH.test(path))) return;
  failOption('option_invalid', `routes.${name} must be a path that starts with '/', or false.`);
}

/** Refuses routes that could not work. @internal */
export function checkRoutes(routes: object, callbackPath: string): void {
  const taken = new Map([[callbackPath, 'callbackURL']]);
  for (const [name, path] of Object.entries(routes) as [string, unknown][]) {
    checkRoute(name, path);
    if (typeof path !== 'string') continue;
    const other = taken.get(path);
    if (other !== undefined)
      failOption('option_invalid', `routes.${name} and ${other} are the same path, '${path}': change one.`);
    taken.set(path, `routes.${name}`);
  }
}
