import { type Flow, flows } from '../authorization-server/flows.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import { scopeMissing } from '../errors/denials.js';
import { isClinicianError } from '../errors/errors.js';
import type { Events } from '../events/events.js';
import type { Fetch } from '../http/http.js';
import type { Site } from '../options/site.js';
import { AuthorizedFetch } from '../resource-api/authorized-fetch.js';
import { type CachedResponse, type ClinicianProfile, fetchProfile, parseProfile } from '../resource-api/profile.js';
import { RateBudget, type RequestLimits } from '../resource-api/request-limits.js';
import type { ClinicianIdentity } from '../session/logins.js';

/** A profile, and the response that contained it for the next conditional request. */
interface ProfileResponse {
  profile: ClinicianProfile;
  response: CachedResponse | undefined;
}

/** The user who signed in. The profile is absent if the tokens may not read it, or if it could not be read. @internal */
export interface SignedInUser extends Partial<ProfileResponse> {
  identity: ClinicianIdentity;
  /** With what the profile shows: the granted scope, and the id of the profile. */
  tokens: TokenSet;
}

interface IdentificationOptions {
  site: Pick<Site, 'issuer' | 'flow' | 'apiURL' | 'clock'>;
  profileRequired: boolean;
  fetch: Fetch;
  events: Pick<Events, 'reportError'>;
  limits: RequestLimits;
}

/**
 * Identifies users by the tokens of their sign-in. With an ID Token this does not depend on the profile: an outage of the resource
 * API would keep all users out. @internal
 */
export class Identification {
  readonly #site: IdentificationOptions['site'];
  readonly #flow: Flow;
  readonly #profileRequired: boolean;
  readonly #fetch: Fetch;
  readonly #events: IdentificationOptions['events'];
  readonly #limits: RequestLimits;

  constructor({ site, profileRequired, fetch, events, limits }: IdentificationOptions) {
    this.#site = site;
    this.#flow = flows[site.flow];
    this.#profileRequired = profileRequired;
    this.#fetch = fetch;
    this.#events = events;
    this.#limits = limits;
  }

  /**
   * Identifies the user who signed in: from the profile if the tokens may read it, and from the ID Token. A profile that cannot
   * be read is an error only if it is required.
   */
  async identify(tokens: TokenSet): Promise<SignedInUser> {
    const read = await this.#tryToRead(tokens);
    const profile = read?.profile;
    const id = this.#flow.identityFrom === 'id_token' ? tokens.subject : profile?.id;
    if (!id || (this.#profileRequired && !profile)) throw scopeMissing('basic');
    const { issuer } = this.#site;
    if (!profile) return { identity: { id, issuer }, tokens };
    const { id: profileID, email } = profile;
    // If the token response has no scope, the profile shows which scopes were approved separately (service spec, "Profile").
    const isShown = this.#flow.separateScope.includes('email') && tokens.params.scope === undefined;
    const scope = isShown && email ? [...new Set([...tokens.scope, 'email'])] : tokens.scope;
    return { identity: { id, issuer, serviceID: profileID }, tokens: { ...tokens, profileID, scope }, ...read };
  }

  async readProfile(accessToken: string): Promise<ClinicianProfile> {
    return (await this.#read(accessToken)).profile;
  }

  /** @param userID the subject, if there is an ID Token: the limit of that user applies */
  async #read(accessToken: string, userID?: string): Promise<ProfileResponse> {
    const { apiURL, clock } = this.#site;
    const limits = this.#limits;
    const budget = userID === undefined ? new RateBudget(clock) : undefined;
    const tokens = { accessToken: async () => accessToken, user: async () => ({ userID: userID ?? '' }) };
    const from = { apiURL: apiURL as string, clock, tokens, fetch: this.#fetch, limits, budget };
    const { body, etag } = await fetchProfile(new AuthorizedFetch(from));
    const profile = parseProfile(body, apiURL);
    if (budget) limits.budgetOf(profile.id).update(budget.rateLimit);
    return { profile, response: etag === undefined ? undefined : { body, etag } };
  }

  /** @returns undefined if the profile cannot be read and is not required */
  async #tryToRead({ accessToken, scope, subject }: TokenSet): Promise<ProfileResponse | undefined> {
    if (this.#site.apiURL === undefined || !scope.includes('basic')) return undefined;
    try {
      return await this.#read(accessToken.reveal(), subject);
    } catch (error) {
      if (this.#profileRequired || !isClinicianError(error)) throw error;
      this.#events.reportError(error, subject);
      return undefined;
    }
  }
}
