import { digest } from '../http/digest.js';
import { randomToken } from '../http/random.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { type Expiring, ExpiringMap } from './expiring-map.js';

/** An authorization request whose pages are shown: the browser, and the pages that the user has completed. */
export interface Interaction extends Expiring {
  readonly id: string;
  readonly request: AuthorizationRequest;
  /** The one-time token of the current form. */
  formToken: string;
  hasRegistered: boolean;
  hasSignedIn: boolean;
  /** True once the position in the verification queue was shown. */
  hasSeenVerification: boolean;
  /** The sub of the user who approved on the consent page. */
  approvedBy: string | undefined;
}

export class InteractionStore extends ExpiringMap<Interaction> {
  /** @param id one that only the browser can know which started it */
  start(id: string, request: AuthorizationRequest): Interaction {
    const completed = { hasRegistered: false, hasSignedIn: false, hasSeenVerification: false, approvedBy: undefined };
    const interaction: Interaction = { id, request, formToken: randomToken(), ...completed };
    this.set(id, interaction);
    return interaction;
  }

  /** @returns true once for the one-time token of the current form. */
  consumeForm(interaction: Interaction, formToken: string | undefined): boolean {
    if (formToken === undefined || digest(formToken) !== digest(interaction.formToken)) return false;
    interaction.formToken = randomToken();
    return true;
  }
}
