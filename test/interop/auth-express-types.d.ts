// What these tests use of @auth/express. Its own types bring a browser's globals along, and with them another `fetch`.
import type { Request, RequestHandler } from 'express';

interface Provider extends Record<string, unknown> {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service's profile holds
  profile?: (profile: Record<string, any>) => object;
}

export interface ExpressAuthConfig extends Record<string, unknown> {
  providers: Provider[];
}

export function ExpressAuth(config: ExpressAuthConfig): RequestHandler;
export function getSession(req: Request, config: ExpressAuthConfig): Promise<{ user?: Record<string, unknown> } | null>;
