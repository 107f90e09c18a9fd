import { PAGE_PATHS } from '../http/paths.js';
import type { ProviderResponse } from '../http/response.js';
import { SCOPES } from '../options/scopes.js';
import { consentPage } from '../pages/consent-page.js';
import type { Markup } from '../pages/html.js';
import { type LoginProblem, loginPage, loginTitle } from '../pages/login-page.js';
import { pageResponse } from '../pages/page.js';
import { registrationPage } from '../pages/registration-page.js';
import { verificationPage } from '../pages/verification-page.js';
import type { Account } from '../state/account.js';
import type { ResponseTarget } from '../state/authorization-request.js';
import type { Interaction } from '../state/interactions.js';
import type { Session } from '../state/sessions.js';
import type { InteractionContext, StartedInteraction } from './interaction-context.js';
import type { Registration } from './registration-form.js';

const hiddenOf = ({ id, formToken }: Interaction) => ({ interaction: id, form_token: formToken });
/** @returns the host that a user returns to; of an address without a host, such as that of an app, the whole address. */
const hostOf = (redirectURI: string) => new URL(redirectURI).host || redirectURI;
const applicationName = ({ client, redirectURI }: ResponseTarget) => client.registration.name ?? hostOf(redirectURI);
const pageOf = (path: string, { id }: Interaction) => `${path}?interaction=${id}`;

/** Shows the form of a new account. @param failed the values of a form that is shown again, and what is wrong with them */
export function registrationScreen(context: StartedInteraction, failed?: Registration): ProviderResponse {
  const { interaction, request } = context;
  const body = registrationPage({
    action: PAGE_PATHS.registration,
    hidden: hiddenOf(interaction),
    destination: applicationName(request),
    login: pageOf(PAGE_PATHS.login, interaction),
    values: failed?.values ?? {},
    problems: failed?.problems ?? {},
  });
  return respond(context, 'Create your account', body, failed !== undefined);
}

/** Shows the login form. @param failed why it is shown again */
export function loginScreen(
  context: StartedInteraction,
  users: readonly Account[],
  failed?: LoginProblem,
): ProviderResponse {
  const { interaction, request } = context;
  const { loginHint, landing } = request;
  const body = loginPage({
    action: PAGE_PATHS.login,
    hidden: hiddenOf(interaction),
    destination: applicationName(request),
    username: failed?.username ?? loginHint,
    problem: failed?.problem,
    landing,
    registration: pageOf(PAGE_PATHS.registration, interaction),
    users,
  });
  return respond(context, loginTitle({ landing }), body, failed !== undefined);
}

/** Shows how far the verification of the user is. */
export function verificationScreen(context: StartedInteraction): ProviderResponse {
  const { interaction, request, session } = context;
  const { isVerified, displayName } = (session as Session).account;
  const body = verificationPage({
    isVerified,
    displayName,
    continueTo: {
      action: PAGE_PATHS.verification,
      hidden: hiddenOf(interaction),
      destination: applicationName(request),
    },
    reloadAt: pageOf(PAGE_PATHS.resume, interaction),
  });
  return respond(context, 'Your verification', body);
}

/** Asks the user to approve the request. @param problem why the form is shown again */
export function consentScreen(context: StartedInteraction, problem?: string): ProviderResponse {
  const { interaction, request, session } = context;
  const { sub, displayName, email } = (session as Session).account;
  const body = consentPage({
    action: PAGE_PATHS.consent,
    // Another tab may sign in another user before this form is sent.
    hidden: { ...hiddenOf(interaction), account: sub },
    clientName: applicationName(request),
    destination: hostOf(request.redirectURI),
    displayName,
    otherAccount: pageOf(PAGE_PATHS.login, interaction),
    scope: request.scope.map((name) => ({
      name,
      description: SCOPES.get(name) ?? name,
      detail: name === 'email' ? email : undefined,
      canBeRefused: name === 'email',
    })),
    problem,
  });
  return respond(context, 'Approve access', body, problem !== undefined);
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
