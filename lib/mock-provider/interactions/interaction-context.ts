import { type Cookies, hasNoCookie } from '../http/cookies.js';
import { PAGE_PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import { stalePage } from '../pages/error-page.js';
import { Refusal, type Refused } from '../protocol/refusal.js';
import type { AuthorizationRequest } from '../state/authorization-request.js';
import type { FormTokenStore } from '../state/form-tokens.js';
import type { Interaction, InteractionStore } from '../state/interactions.js';
import type { Session } from '../state/sessions.js';
import type { BrowserSessions } from './browser-sessions.js';

/** One authorization request in one browser. */
export interface InteractionContext {
  request: AuthorizationRequest;
  session: Session | undefined;
  interaction: Interaction | undefined;
  /** To set with the response. */
  cookies: string[];
}

const NO_COOKIE = 'The browser sent no cookie: it blocks cookies, or the sign-in started in another browser';

type StartedInteraction = InteractionContext & { interaction: Interaction };

/** Finds the interaction of a request: of a page's address, or of a form. */
export interface InteractionLookup {
  /** @returns the interaction of the address, in the browser in which it started. */
  find(http: MockRequest): StartedInteraction | Refused;
  /** Accepts a form once, from the browser that it was shown in. */
  consumeForm(http: MockRequest): StartedInteraction | Refused;
  /** @returns the interaction of the context; starts one when there is none. */
  begin(http: MockRequest, context: InteractionContext): Interaction;
  /** Ends the interaction of the context, if there is one. */
  end(context: InteractionContext): void;
}

export function createInteractionLookup({
  interactions,
  cookies,
  browserSessions,
}: {
  interactions: InteractionStore;
  cookies: Cookies;
  browserSessions: Pick<BrowserSessions, 'current'>;
}): InteractionLookup {
  const get = (http: MockRequest, id: string | undefined) =>
    cookies.hasInteraction(http, id) ? interactions.get(id) : undefined;
  const contextOf = (http: MockRequest, interaction: Interaction) => {
    const session = browserSessions.current(http);
    return { request: interaction.request, session, interaction, cookies: [] };
  };

  return {
    find(http) {
      const interaction = get(http, http.query.get('interaction'));
      if (interaction) return contextOf(http, interaction);
      const description = hasNoCookie(http)
        ? NO_COOKIE
        : 'This sign-in was finished, took too long, or started in another browser';
      return stalePage(http, new Refusal('interaction-in-one-browser', 'invalid_request', description));
    },
    consumeForm(http) {
      const interaction = http.isForm ? get(http, http.form.get('interaction')) : undefined;
      if (interaction && interactions.consumeForm(interaction, http.form.get('form_token'))) {
        return contextOf(http, interaction);
      }
      return refuseForm(http, interaction && `${PAGE_PATHS.resume}?interaction=${interaction.id}`);
    },
    begin(http, context) {
      if (context.interaction) return context.interaction;
      const { id, cookies: started } = cookies.startInteraction(http);
      context.interaction = interactions.start(id, context.request);
      context.cookies.push(...started);
      return context.interaction;
    },
    end({ interaction, cookies: changed }) {
      if (interaction === undefined) return;
      interactions.end(interaction);
      changed.push(cookies.endInteraction(interaction.id));
    },
  };
}

/** The forms outside an authorization request. Each is accepted once, in the browser that it was shown in. */
export class BrowserForms {
  readonly #forms: FormTokenStore;
  readonly #cookies: Cookies;

  constructor({ forms, cookies }: { forms: FormTokenStore; cookies: Cookies }) {
    this.#forms = forms;
    this.#cookies = cookies;
  }

  /** @returns the hidden fields of a new form, and the cookies to set. */
  show(http: MockRequest, purpose: string, value: string): { hidden: { form_token: string }; cookies: string[] } {
    const { id, cookies } = this.#cookies.startInteraction(http);
    this.#forms.add(id, purpose, value);
    return { hidden: { form_token: id }, cookies };
  }

  /** @returns the value of a form and the cookie to delete; undefined for a form that is not accepted. */
  accept(http: MockRequest, purpose: string): { value: string; cookies: string[] } | undefined {
    const token = http.isForm ? http.form.get('form_token') : undefined;
    const value = this.#cookies.hasInteraction(http, token) ? this.#forms.consume(token, purpose) : undefined;
    if (token === undefined || value === undefined) return undefined;
    return { value, cookies: [this.#cookies.endInteraction(token)] };
  }
}

/** Responds to a form that is not accepted. @param continueAt where the user can continue */
export function refuseForm(http: MockRequest, continueAt?: string): Refused {
  const description = hasNoCookie(http)
    ? NO_COOKIE
    : 'This form was not shown in this browser, or was already submitted';
  const refusal = new Refusal('form-token-single-use', 'invalid_request', description, { status: 403 });
  return stalePage(http, refusal, continueAt);
}
