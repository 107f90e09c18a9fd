import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClinicianError } from '../errors/errors.js';

// Structural types, which requests and handlers of Express 4 and 5 have too. So the declarations of this package need no version
// of @types/express.

/** Continues with the next middleware, or with the error handlers. */
export type Next = (error?: unknown) => void;

/** Middleware, for Express 4, Express 5 and connect. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: Next) => void;

/** Middleware that responds to errors. */
export type ErrorMiddleware = (error: unknown, req: IncomingMessage, res: ServerResponse, next: Next) => void;

/** The members of an Express request that the functions of a site need most. */
interface RequestMembers extends IncomingMessage {
  originalUrl: string;
  baseUrl: string;
  path: string;
  hostname: string;
  protocol: string;
  /** The parameters of the path. */
  params: Record<string, string | string[]>;
  /** The parameters of the URL, as the site's query parser reads them. */
  query: Record<string, unknown>;
  /** The body, as the site's body parser reads it. */
  body: unknown;
  get(name: string): string | undefined;
}

/**
 * The request that a function of the site receives, with the members that other packages and the site declare in
 * `Express.Request`, such as `session`. The parameter can be annotated with `Request` of `express`, for all its members.
 */
export type ExpressRequest = RequestMembers & Express.Request;

/**
 * The response that a function of the site receives. The parameter can be annotated with `Response` of `express`, for
 * all its members.
 */
export interface ExpressResponse extends ServerResponse {
  locals: Record<string, unknown>;
  status(code: number): this;
  set(name: string, value: string): this;
  type(type: string): this;
  send(body?: unknown): this;
  json(body?: unknown): this;
  render(view: string, locals?: object): void;
  sendFile(path: string, options?: object): void;
  redirect(url: string): void;
}

/**
 * Responds to an error of this package's own routes, or calls `next()`: without an argument, this package's page or problem
 * document follows; with the error, your error handler.
 */
export type ErrorHandler = {
  // The type of a method: the compiler accepts parameters with the types of Express.
  respond(error: ClinicianError, req: ExpressRequest, res: ExpressResponse, next: Next): void | Promise<void>;
}['respond'];
