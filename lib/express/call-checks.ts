import { IncomingMessage } from 'node:http';
import { argumentInvalid, ConfigurationError } from '../errors/errors.js';

/**
 * Detects a function that returns middleware and was passed to Express without being called: the request would never get a
 * response. @param call the right call, for the message
 * @returns the function, with an error through `next()` for such a request
 */
export function detectMissingCall<Args extends unknown[], R>(
  call: string,
  factory: (...args: Args) => R,
): (...args: Args) => R {
  return function clinicianFactory(...args) {
    const [first, , next] = args as unknown[];
    if (typeof next !== 'function' && !(first instanceof IncomingMessage)) return factory(...args);
    const name = call.slice(0, call.indexOf('('));
    const error = new ConfigurationError(
      'argument_invalid',
      `passport-clinician: ${name} was passed to Express without being called. Write ${call}.`,
    );
    if (typeof next !== 'function') throw error;
    return next(error) as R;
  };
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
  return req instanceof Request || [req.raw, req.req].some((inner) => inner instanceof IncomingMessage);
}
