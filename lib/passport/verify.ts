import type { TokenSet } from '../authorization-server/token-set.js';
import type { PassportProfile } from './passport-profile.js';

/** Passport's `done`: an error, or the site's own user, or `false` for nobody, with a word on why. */
export type VerifyCallback = (error?: unknown, user?: unknown, info?: object) => void;

/**
 * The site's verify function, in every form that passport-oauth2 takes:
 * `(accessToken, refreshToken, profile, done)`, `(accessToken, refreshToken, params, profile, done)`, and both with `req` first
 * when `passReqToCallback` is set. A function without `done`, and an async one, may return the user instead.
 */
// biome-ignore lint/suspicious/noExplicitAny: its form is told by its number of parameters, as passport-oauth2 does
export type VerifyFunction = (...args: any[]) => unknown;

/** What a verify function decided. @internal */
export interface Verified {
  user: unknown;
  info: Record<string, unknown>;
}

function positions(
  verify: VerifyFunction,
  req: unknown,
  passReq: boolean,
  tokens: TokenSet,
  profile: PassportProfile | undefined,
): unknown[] {
  const leading = passReq ? [req] : [];
  const withParams = verify.length >= leading.length + 5;
  return [
    ...leading,
    tokens.accessToken.reveal(),
    tokens.refreshToken?.reveal(),
    ...(withParams ? [tokens.params] : []),
    profile,
  ];
}

/** Calls the site's verify function; answers with what it decided, throws what it threw or handed to `done`. @internal */
export function callVerify(
  verify: VerifyFunction,
  call: { req: unknown; passReq: boolean; tokens: TokenSet; profile: PassportProfile | undefined },
): Promise<Verified> {
  const args = positions(verify, call.req, call.passReq, call.tokens, call.profile);
  const takesDone = verify.length > args.length;
  return new Promise((resolve, reject) => {
    const decide = (user: unknown, info?: object) => {
      if (user instanceof Error) reject(user);
      else resolve({ user: user || false, info: { ...info } });
    };
    const done: VerifyCallback = (error, user, info) => (error ? reject(error) : decide(user, info));
    const returned = verify(...args, done);
    if (typeof (returned as Promise<unknown> | undefined)?.then !== 'function') {
      // Whoever has no `done` answers by what they return. With `...args` they may have it all the same, and call it later.
      if (!takesDone && returned !== undefined) decide(returned);
      return;
    }
    // An async function that declares `done` may still be about to call it: its bare return decides nothing.
    (returned as Promise<unknown>).then((user) => (user === undefined && takesDone) || decide(user), reject);
  });
}
