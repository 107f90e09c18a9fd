/** The types of packages and programs that these tests use, and that have none. */
declare module 'connect' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  type Next = (error?: unknown) => void;
  type Handler =
    | ((req: IncomingMessage, res: ServerResponse, next: Next) => void)
    | ((error: unknown, req: IncomingMessage, res: ServerResponse, next: Next) => void);

  interface Server {
    (req: IncomingMessage, res: ServerResponse): void;
    use(handler: Handler): this;
    use(path: string, handler: Handler): this;
  }

  export default function connect(): Server;
}

declare module 'cookie-session' {
  import type { RequestHandler } from 'express';

  export default function cookieSession(options: { secret: string }): RequestHandler;
}

declare module '*/german.mjs' {
  export const german: Readonly<Record<string, string>>;
}

declare module 'passport-0.5' {
  import passport from 'passport';

  export default passport;
}
