import type { Cookies } from '../http/cookies.js';
import { PAGE_PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import { stalePage } from '../pages/error-page.js';
import type { Endpoint } from '../protocol/endpoint.js';
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

type StartedInteraction = InteractionContext & { interaction: Interaction };

interface Dependencies {
  readonly interactions: InteractionStore;
  readonly cookies: Cookies;
  readonly browserSessions: Pick<BrowserSessions, 'current'>;
}

/** Finds the interaction of a request: of a page's address, or of a form. */
export class InteractionLookup {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** @returns the endpoint of a page, which continues the interaction of its address, in the browser in which it started. */
  page(show: (http: MockRequest, context: StartedInteraction) => ReturnType<Endpoint>): Endpoint {
    return (http) => {
      const context = this.#contextOf(http, http.query.get('interaction'));
      return context ? show(http, context) : stalePage(http, 'interaction-in-one-browser');
    };
  }

  /** @returns the endpoint of a form, which accepts it once, from the browser that it was shown in. */
  form(submit: (http: MockRequest, context: StartedInteraction) => ReturnType<Endpoint>): Endpoint {
    return (http) => {
      const context = http.isForm ? this.#contextOf(http, http.form.get('interaction')) : undefined;
      if (context === undefined) return stalePage(http, 'form-token-single-use');
      const { interaction } = context;
      const isAccepted = this.#dependencies.interactions.consumeForm(interaction, http.form.get('form_token'));
      if (isAccepted) return submit(http, context);
      return stalePage(http, 'form-token-single-use', `${PAGE_PATHS.resume}?interaction=${interaction.id}`);
    };
  }

  /** @returns the interaction of the context; starts one when there is none. */
  begin(http: MockRequest, context: InteractionContext): Interaction {
    if (context.interaction) return context.interaction;
    const { interactions, cookies } = this.#dependencies;
    const started = cookies.startInteraction(http);
    context.interaction = interactions.start(started.id, context.request);
    context.cookies.push(...started.cookies);
    return context.interaction;
  }

  /** Ends the interaction of the context, if there is one. */
  end({ interaction, cookies: changed }: InteractionContext): void {
    if (interaction === undefined) return;
    this.#dependencies.interactions.delete(interaction.id);
    changed.push(this.#dependencies.cookies.endInteraction(interaction.id));
  }

  #contextOf(http: MockRequest, id: string | undefined): StartedInteraction | undefined {
    const { interactions, cookies, browserSessions } = this.#dependencies;
    const interaction = cookies.hasInteraction(http, id) ? interactions.get(id) : undefined;
    const session = browserSessions.current(http);
    return interaction && { request: interaction.request, session, interaction, cookies: [] };
  }
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
