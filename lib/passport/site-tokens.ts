import { SingleFlight } from '../async/work.js';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import { argumentInvalid } from '../errors/errors.js';
import { checkOptions } from '../options/option-table.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import { type OptionTable, type Schema, text } from '../schema.js';
import { Secret } from '../sealing/sealer.js';
import type { Revocations } from '../session/revocations.js';
import type { Identification } from '../sign-in/identify.js';

/** The options of `strategy.endSessionURL()`. */
export interface EndSessionOptions {
  /** `params.id_token` of the verify function. It names the session at the service. */
  idToken: string | Secret;
  /** The URL that the service redirects to afterwards, exactly as it is registered with the service. */
  postLogoutRedirectURI: string;
  /** A random value that the service returns on that redirect: compare it with the one that you have saved. */
  state?: string | undefined;
}

const secret: Schema<string | Secret> = {
  type: 'a string that is not empty',
  isValid: (value) => value instanceof Secret || (typeof value === 'string' && value !== ''),
};

const endSessionOptions: OptionTable<EndSessionOptions> = {
  idToken: { ...secret, whenMissing: "Pass 'params.id_token' of the verify function." },
  postLogoutRedirectURI: { ...text, whenMissing: 'Pass the address that is registered with the service.' },
  state: text,
};

/** Uses tokens that the site has stored itself. @internal */
export class SiteTokens {
  readonly #server: AuthorizationServer;
  readonly #revocations: Revocations;
  readonly #identification: Identification;
  readonly #refreshes = new SingleFlight<TokenSet>();

  constructor(server: AuthorizationServer, revocations: Revocations, identification: Identification) {
    this.#server = server;
    this.#revocations = revocations;
    this.#identification = identification;
  }

  profile(accessToken: string): Promise<ClinicianProfile> {
    return this.#identification.readProfile(accessToken);
  }

  refresh(token: string | Secret): Promise<TokenSet> {
    const refreshToken = secretOf(token, 'refresh()');
    return this.#refreshes.run(refreshToken.reveal(), () => this.#server.refresh({ refreshToken }));
  }

  revoke(token: string | Secret): Promise<void> {
    return this.#revocations.revoke({ accessToken: secretOf(token, 'revoke()') });
  }

  endSessionURL(options: EndSessionOptions): Promise<string | undefined> {
    const { idToken, ...others } = checkOptions(options, endSessionOptions, 'strategy.endSessionURL()');
    return this.#server.endSession({ ...others, idTokenHint: secretOf(idToken, 'endSessionURL()') });
  }
}

function secretOf(token: string | Secret, call: string): Secret {
  if (!secret.isValid(token)) throw argumentInvalid(`strategy.${call} needs a token, ${secret.type}.`);
  return token instanceof Secret ? token : new Secret(token);
}
