import { argumentInvalid } from '../errors/errors.js';
import type { Next } from './http-types.js';

/** @returns the handler of a route that passes a rejection to `next()`, which Express 4 does not. */
export function passRejections<Req, Res>(
  route: (req: Req, res: Res, next: Next) => unknown,
): (req: Req, res: Res, next: Next) => void {
  if (typeof route !== 'function') {
    throw argumentInvalid('handler() needs the function of a route: clinician.handler(async (req, res) => ...).');
  }
  return function clinicianHandler(req, res, next) {
    new Promise((resolve) => resolve(route(req, res, next))).catch((error: unknown) =>
      // Without an error, next() would continue with the next handler.
      next(error || new Error('A route rejected without an error.')),
    );
  };
}

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
