import { IncomingMessage } from 'node:http';
import { argumentInvalid } from '../errors/errors.js';
import type { Visits } from '../session/visit.js';

/**
 * Detects a function that returns middleware and was passed to Express without being called: the request would never get a
 * response. Refuses a call by a handler too: middleware is true in every condition. @param call the right call, for the message
 * @returns the function, with an error through `next()` for such a request
 */
export function detectMissingCall<Args extends unknown[], R>(
  visits: Visits,
  call: string,
  factory: (...args: Args) => R,
): (...args: Args) => R {
  return function clinicianFactory(...args) {
    const [first, , next] = args as unknown[];
    const name = call.slice(0, call.indexOf('('));
    if (typeof next !== 'function' && !(first instanceof IncomingMessage)) {
      if (visits.handling === 0) return factory(...args);
      throw argumentInvalid(
        `${name}() was called in a handler. It returns middleware, which is true in every condition: call it when the site starts, and pass the result to Express. In a handler, read req.clinician.isAuthenticated.`,
      );
    }
    const error = argumentInvalid(`${name} was passed to Express without being called. Write ${call}.`);
    if (typeof next !== 'function') throw error;
    return next(error) as R;
  };
}

/** Makes `passport.use()` of something that is no strategy fail at the first request. @param right what to pass, for the message */
export function refuseAsStrategy(target: object, right: string): void {
  function authenticate(this: { error(error: unknown): void }): void {
    this.error(argumentInvalid(`passport.use() needs a strategy. Write passport.use(${right}).`));
  }
  Object.defineProperties(target, { name: { value: 'clinician' }, authenticate: { value: authenticate } });
}

/** Throws a {@link ConfigurationError} for a call without a request. @param call the right call, for the message */
export function assertRequest(req: unknown, call: string): void {
  // Not `instanceof`: a test may pass its own request.
  if (typeof req === 'object' && req !== null && 'headers' in req && !wrapsRequest(req)) return;
  throw argumentInvalid(
    `${call} needs the request of Node as its first argument: 'req' in Express, 'request.raw' in Fastify, 'ctx.req' in Koa, 'c.env.incoming' in Hono.`,
  );
}

/** @returns true for the request of Fastify, the context of Koa and a `Request`, which have headers too, but no session. */
function wrapsRequest(req: { headers: unknown; raw?: unknown; req?: unknown }): boolean {
  return req instanceof Request || req.raw instanceof IncomingMessage || req.req instanceof IncomingMessage;
}
