/** Passport's `done`: an error, or the site's own user, or `false` for a denial, with an optional reason. */
export type VerifyCallback = (error?: unknown, user?: unknown, info?: object) => void;

/**
 * The site's verify function, with each signature of passport-oauth2: `(accessToken, refreshToken, profile, done)`,
 * `(accessToken, refreshToken, params, profile, done)`, and both with `req` first when `passReqToCallback` is set. An async
 * function, or one without `done`, may return the user instead. `params` are the members of the token response, and `claims`:
 * those of the validated ID Token.
 */
// biome-ignore lint/suspicious/noExplicitAny: the number of parameters selects the signature, as in passport-oauth2
export type VerifyFunction = (...args: any[]) => unknown;

/** For messages. */
export const VERIFY_PARAMETERS = '(accessToken, refreshToken, profile, done)';

/** The parameters of passport-openidconnect, after an optional `req`: the issuer, then the profile, and a callback if there are three. */
const OTHER_PARAMETERS =
  /^[^(=]*\(\s*(?:\w*req\w*\s*,\s*)?(?:(?:\w+\s*,\s*)?_*(?:iss|issuer|profile)\b|\w+\s*,\s*\{|(?:\w+\s*,\s*){2}(?:cb|done|callback)\s*\))/i;

/**
 * @returns true for a verify function of passport-openidconnect, by the names in its source: its profile would be the refresh token,
 * and `profile.id` undefined for every user. @internal
 */
export function hasOtherParameters(verify: VerifyFunction): boolean {
  return OTHER_PARAMETERS.test(String(verify).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''));
}

/**
 * Calls the site's verify function. @param args those before `done` @returns its decision; throws what it threw, or passed to `done`
 * @internal
 */
export async function callVerify(
  verify: VerifyFunction,
  args: unknown[],
): Promise<{ user: unknown; info: Record<string, unknown> }> {
  const declaresDone = verify.length > args.length;
  // `done` reads nothing of its arguments: a package that calls it would throw what they throw.
  const [error, user, info] = await new Promise<unknown[]>((resolve, reject) => {
    const returned = verify(...args, (...decision: unknown[]) => resolve(decision));
    if (typeof (returned as Promise<unknown> | undefined)?.then !== 'function') {
      // A function declared with `...args` has no visible `done`, and may call it later: undefined decides nothing.
      if (!declaresDone && returned !== undefined) resolve([undefined, returned]);
      return;
    }
    // An async function that declares `done` may still call it: undefined decides nothing.
    const decide = (found: unknown) => (found === undefined && declaresDone) || resolve([undefined, found]);
    (returned as Promise<unknown>).then(decide, reject);
  });
  if (error) throw error;
  if (user instanceof Error) throw user;
  return { user: user || false, info: { ...(info as object | undefined) } };
}
