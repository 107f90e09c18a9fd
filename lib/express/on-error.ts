import type { ClinicianError } from '../errors/errors.js';
import type { Exchange, ExpressRequest, ExpressResponse, Next } from './http-types.js';

/**
 * Responds to an error of this package's own routes, or passes it to `next()`. Without a response, this package sends its own page
 * or problem document. Return a promise if the response is sent later; `res.render()` and `res.sendFile()` need none.
 */
export type ErrorHandler = {
  // The type of a method: the compiler accepts parameters with the types of Express.
  respond(error: ClinicianError, req: ExpressRequest, res: ExpressResponse, next: Next): void | Promise<void>;
}['respond'];

/**
 * Calls `onError`. @returns true if it has responded, has called `next()`, or will respond: Express renders views and reads
 * files asynchronously.
 */
export async function isHandledBy(onError: ErrorHandler, error: ClinicianError, exchange: Exchange): Promise<boolean> {
  const req = exchange.req as ExpressRequest;
  const res = exchange.res as ExpressResponse;
  let isHandled = false;
  const handled = () => {
    isHandled = true;
  };
  for (const name of ['render', 'sendFile'] as const) {
    const original = res[name] as ((...args: unknown[]) => void) | undefined;
    if (!original) continue;
    Object.assign(res, {
      [name](...args: unknown[]) {
        handled();
        original.apply(res, args);
      },
    });
  }
  res.once('pipe', handled);
  await onError(error, req, res, (passedOn?: unknown) => {
    handled();
    exchange.next(passedOn);
  });
  return isHandled || res.headersSent;
}
