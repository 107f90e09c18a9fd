import { PAGE_PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import { SCOPES } from '../options/scopes.js';
import { consentPage } from '../pages/consent-page.js';
import type { Markup } from '../pages/html.js';
import { loginPage, loginTitle } from '../pages/login-page.js';
import { pageResponse } from '../pages/page.js';
import { registrationPage } from '../pages/registration-page.js';
import { verificationPage } from '../pages/verification-page.js';
import type { Account } from '../state/account.js';
import type { ResponseTarget } from '../state/authorization-request.js';
import type { Interaction } from '../state/interactions.js';
import type { InteractionContext, InteractionLookup } from './interaction-context.js';
import { type OneClickDependencies, userChoices } from './one-click.js';
import type { Registration } from './registration-form.js';

/** The screens of an authorization, in the order in which they are shown. */
export type Screen = 'registration' | 'login' | 'verification' | 'consent';

export interface LoginProblem {
  username: string;
  problem: string;
}

interface Dependencies extends OneClickDependencies {
  readonly lookup: Pick<InteractionLookup, 'begin'>;
}

const hiddenOf = ({ id, formToken }: Interaction) => ({ interaction: id, form_token: formToken });
/** @returns the host that a user returns to; of an address without a host, such as that of an app, the whole address. */
const hostOf = (redirectURI: string) => new URL(redirectURI).host || redirectURI;
const applicationName = ({ client, redirectURI }: ResponseTarget) => client.name ?? hostOf(redirectURI);
const pageOf = (path: string, { id }: Interaction) => `${path}?interaction=${id}`;

/** Shows the screens of an authorization, in the browser in which it started. */
export class Screens {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Shows the form of a new account. @param failed the values of a form that is shown again, and what is wrong with them */
  registration(http: MockRequest, context: InteractionContext, failed?: Registration): ProviderResponse {
    const interaction = this.#dependencies.lookup.begin(http, context);
    const body = registrationPage({
      action: PAGE_PATHS.registration,
      hidden: hiddenOf(interaction),
      destination: applicationName(context.request),
      login: pageOf(PAGE_PATHS.login, interaction),
      values: failed?.values ?? {},
      problems: failed?.problems ?? {},
    });
    return respond(context, 'Create your account', body, failed !== undefined);
  }

  /** Shows the login form. @param failed why it is shown again */
  login(http: MockRequest, context: InteractionContext, failed?: LoginProblem): ProviderResponse {
    const interaction = this.#dependencies.lookup.begin(http, context);
    const { loginHint, landing } = context.request;
    const body = loginPage({
      action: PAGE_PATHS.login,
      hidden: hiddenOf(interaction),
      destination: applicationName(context.request),
      username: failed?.username ?? loginHint,
      problem: failed?.problem,
      landing,
      registration: pageOf(PAGE_PATHS.registration, interaction),
      users: userChoices(http, this.#dependencies),
    });
    return respond(context, loginTitle({ landing }), body, failed !== undefined);
  }

  /** Shows how far the verification of the user is. */
  verification(http: MockRequest, context: InteractionContext): ProviderResponse {
    const interaction = this.#dependencies.lookup.begin(http, context);
    const account = context.session?.account as Account;
    const body = verificationPage({
      isVerified: account.isVerified,
      displayName: account.displayName,
      continueTo: {
        action: PAGE_PATHS.verification,
        hidden: hiddenOf(interaction),
        destination: applicationName(context.request),
      },
      reloadAt: pageOf(PAGE_PATHS.resume, interaction),
    });
    return respond(context, 'Your verification', body);
  }

  /** Asks the user to approve the request. @param problem why the form is shown again */
  consent(http: MockRequest, context: InteractionContext, problem?: string): ProviderResponse {
    const interaction = this.#dependencies.lookup.begin(http, context);
    const { redirectURI, scope } = context.request;
    const account = context.session?.account as Account;
    const body = consentPage({
      action: PAGE_PATHS.consent,
      // Another tab may sign in another user before this form is sent.
      hidden: { ...hiddenOf(interaction), account: account.sub },
      clientName: applicationName(context.request),
      destination: hostOf(redirectURI),
      displayName: account.displayName,
      otherAccount: pageOf(PAGE_PATHS.login, interaction),
      scope: scope.map((name) => ({
        name,
        description: SCOPES.get(name) ?? name,
        detail: name === 'email' ? account.email : undefined,
        canBeRefused: name === 'email',
      })),
      problem,
    });
    return respond(context, 'Approve access', body, problem !== undefined);
  }
}

/** @param isRepeated true if the form is shown again, because what was sent is not valid */
function respond(
  { request: { display }, cookies }: InteractionContext,
  title: string,
  body: Markup,
  isRepeated = false,
): ProviderResponse {
  return pageResponse({ title, body, display, status: isRepeated ? 400 : 200, cookies });
}
