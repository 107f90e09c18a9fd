import { digest } from '../http/digest.js';
import type { AuthorizationRequest } from './authorization-request.js';
import type { MockClock } from './clock.js';
import { ExpiringMap } from './expiring-map.js';
import { randomToken } from './random.js';

/** One authorization request that waits for a person: which pages they have been through, and in which browser. */
export interface Interaction {
  readonly id: string;
  readonly request: AuthorizationRequest;
  /** The digest of the cookie that the browser must bring (decision 39). */
  readonly browserKey: string;
  /** The one-time token of the form that is shown now. */
  formToken: string;
  hasRegistered: boolean;
  hasSignedIn: boolean;
  /** Was told where they stand in the verification queue. */
  hasSeenVerification: boolean;
  /** What was approved on the consent page, and by whom. */
  consent: { readonly sub: string; readonly scope: readonly string[] } | undefined;
}

/** Anybody can start one; so many are kept, and then the oldest goes. */
const LIMIT = 100_000;

export class InteractionStore {
  readonly #interactions: ExpiringMap<Interaction>;

  constructor(clock: MockClock, lifetime: number) {
    this.#interactions = new ExpiringMap(clock, lifetime, LIMIT);
  }

  start(request: AuthorizationRequest, browserID: string): Interaction {
    const interaction: Interaction = {
      id: randomToken(),
      request,
      browserKey: digest(browserID),
      formToken: randomToken(),
      hasRegistered: false,
      hasSignedIn: false,
      hasSeenVerification: false,
      consent: undefined,
    };
    this.#interactions.set(interaction.id, interaction);
    return interaction;
  }

  /** @returns the interaction, when it was started in this very browser. */
  get(id: string | undefined, browserID: string | undefined): Interaction | undefined {
    if (id === undefined || browserID === undefined) return undefined;
    const interaction = this.#interactions.get(id);
    return interaction?.browserKey === digest(browserID) ? interaction : undefined;
  }

  /** Takes the one-time token of a form: it is good once. */
  takeForm(interaction: Interaction, formToken: string | undefined): boolean {
    if (formToken === undefined || digest(formToken) !== digest(interaction.formToken)) return false;
    interaction.formToken = randomToken();
    return true;
  }

  end(interaction: Interaction): void {
    this.#interactions.delete(interaction.id);
  }

  sweep(): void {
    this.#interactions.sweep();
  }

  clear(): void {
    this.#interactions.clear();
  }
}
