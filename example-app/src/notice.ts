import type { Request } from 'express';

declare module 'express-session' {
  interface SessionData {
    /** What an action has done, for the next page of the same user. */
    notice?: string;
  }
}

/** Saves a message that the next page shows once. It is in the session and in no link: a forged link cannot show a message. */
export function setNotice(req: Request, text: string): void {
  req.session.notice = text;
}

/** @returns the message of the last action, once. */
export function takeNotice(req: Request): string | undefined {
  // Without a session while its store is unavailable: the error page has no message.
  const { notice } = req.session ?? {};
  if (notice !== undefined) delete req.session.notice;
  return notice;
}
