import type { Cookies } from '../http/cookies.js';
import { PAGE_PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import { stalePage } from '../pages/error-page.js';
import type { Endpoint } from '../protocol/endpoint.js';
import type { AuthorizationRequest } from '../state/authorization-request.js';
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

/** An authorization request whose pages are shown. */
export type StartedInteraction = InteractionContext & { interaction: Interaction };

type Handler = (http: MockRequest, context: StartedInteraction) => ReturnType<Endpoint>;

/** Finds the interaction of a request: of a page's address, or of a form. */
export class InteractionLookup {
  readonly #interactions: InteractionStore;
  readonly #cookies: Cookies;
  readonly #browserSessions: BrowserSessions;

  constructor(interactions: InteractionStore, cookies: Cookies, browserSessions: BrowserSessions) {
    this.#interactions = interactions;
    this.#cookies = cookies;
    this.#browserSessions = browserSessions;
  }

  /** @returns the endpoint of a page, which continues the interaction of its address, in the browser in which it started. */
  page(show: Handler): Endpoint {
    return (http) => {
      const context = this.#contextOf(http, http.query.get('interaction'));
      return context ? show(http, context) : stalePage(http, 'interaction-in-one-browser');
    };
  }

  /** @returns the endpoint of a form, which accepts it once, from the browser that it was shown in. */
  form(submit: Handler): Endpoint {
    return (http) => {
      const context = http.isForm ? this.#contextOf(http, http.form.get('interaction')) : undefined;
      if (context === undefined) return stalePage(http, 'form-token-single-use');
      const { interaction } = context;
      if (this.#interactions.consumeForm(interaction, http.form.get('form_token'))) return submit(http, context);
      return stalePage(http, 'form-token-single-use', `${PAGE_PATHS.resume}?interaction=${interaction.id}`);
    };
  }

  /** @returns the context with its interaction, a new one if it has none. */
  begin(http: MockRequest, context: InteractionContext): StartedInteraction {
    if (context.interaction === undefined) {
      const { id, cookies } = this.#cookies.startInteraction(http);
      context.interaction = this.#interactions.start(id, context.request);
      context.cookies.push(...cookies);
    }
    return context as StartedInteraction;
  }

  /** Ends the interaction of the context, if there is one. */
  end({ interaction, cookies }: InteractionContext): void {
    if (interaction === undefined) return;
    this.#interactions.delete(interaction.id);
    cookies.push(this.#cookies.endInteraction(interaction.id));
  }

  #contextOf(http: MockRequest, id: string | undefined): StartedInteraction | undefined {
    const interaction = this.#cookies.hasInteraction(http, id) ? this.#interactions.get(id) : undefined;
    const session = this.#browserSessions.current(http);
    return interaction && { request: interaction.request, session, interaction, cookies: [] };
  }
}
