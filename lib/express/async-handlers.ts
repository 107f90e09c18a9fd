import type { Next } from './http-types.js';

/**
 * @returns an async function that is also the handler of a route: its third argument is then `next`, not its options, and receives
 * its rejection.
 */
export function callOrHandle<Req, Res, Options>(
  call: (req: Req, res: Res, options?: Options) => Promise<void>,
): (req: Req, res: Res, options?: Options | Next) => Promise<void> {
  return function clinicianCall(req, res, options) {
    return typeof options === 'function' ? call(req, res).catch(options as Next) : call(req, res, options);
  };
}
