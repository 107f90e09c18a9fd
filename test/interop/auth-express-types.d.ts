// The types of @auth/express that these tests use. Its own types declare the globals of a browser, with another `fetch`.
import type { Request, RequestHandler } from 'express';

interface Provider extends Record<string, unknown> {
  // biome-ignore lint/suspicious/noExplicitAny: the members of the service's profile
  profile?: (profile: Record<string, any>) => object;
}

export interface ExpressAuthConfig extends Record<string, unknown> {
  providers: Provider[];
}

export function ExpressAuth(config: ExpressAuthConfig): RequestHandler;
export function getSession(req: Request, config: ExpressAuthConfig): Promise<{ user?: Record<string, unknown> } | null>;
