import type { TokenSet } from '../authorization-server/token-set.js';
import { argumentInvalid } from '../errors/errors.js';
import { type OptionTable, text } from '../options/option-table.js';
import { Secret } from '../sealing/secret.js';

/** The tokens of one login, which the site has stored itself: the verify function has received them. */
export interface LoginTokens {
  accessToken?: string | undefined;
  /** A revocation of it revokes the access token, too. */
  refreshToken?: string | undefined;
  /** `params.id_token` of the verify function. It names the session at the service. */
  idToken?: string | undefined;
}

/** The options of `strategy.endSessionURL()`. */
export interface EndSessionOptions {
  /** The URL that the service redirects to afterwards, exactly as it is registered with the service. */
  postLogoutRedirectURI: string;
  /** A random value that the service returns on that redirect: compare it with the one that you have saved. */
  state?: string | undefined;
}

/** Checks the options of `strategy.endSessionURL()`. @internal */
export const endSessionOptions: OptionTable<EndSessionOptions> = {
  postLogoutRedirectURI: { ...text, whenMissing: 'Pass the address that is registered with the service.' },
  state: text,
};

/**
 * @param needed the tokens of which the function needs at least one
 * @returns the tokens of a login without a record in the token store. Throws for an argument without one of them @internal
 */
export function tokenSetOf(tokens: LoginTokens, call: string, needed: (keyof LoginTokens)[]): TokenSet {
  const { accessToken, refreshToken, idToken } = Object(tokens) as LoginTokens;
  const values = { accessToken, refreshToken, idToken };
  if (needed.some((name) => typeof values[name] === 'string' && values[name] !== '')) {
    const secrets = Object.entries(values).filter(([, value]) => value);
    return {
      ...{ accessToken: new Secret(''), expiresAt: Number.MAX_SAFE_INTEGER, scope: [], params: {} },
      ...Object.fromEntries(secrets.map(([name, value]) => [name, new Secret(value as string)])),
    };
  }
  throw argumentInvalid(
    `strategy.${call}() needs the tokens of a login: { ${needed.join(' or ')} }, strings that the verify function received.`,
  );
}
