import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import { cookie, cookieOf } from '../http/session-cookies.js';
import { consentPage } from '../pages/consent-page.js';
import { loginPage, loginTitle, MAX_NAMES } from '../pages/login-page.js';
import { pageResponse } from '../pages/page.js';
import { PAGE_PATHS } from '../pages/paths.js';
import { registrationPage } from '../pages/registration-page.js';
import { verificationPage } from '../pages/verification-page.js';
import { SCOPES } from '../protocol/scopes.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Account } from '../state/account.js';
import type { Interaction } from '../state/interactions.js';
import { randomToken } from '../state/random.js';
import type { InteractionContext, Screen } from './interaction-context.js';
import type { Registration } from './registration-form.js';
import { queueStatus } from './verification-queue.js';

type Show = (instance: ProviderInstance, http: MockRequest, context: InteractionContext) => ProviderResponse;

/** The interaction of this request in this browser; begun when there is none. */
export function beginInteraction(
  instance: ProviderInstance,
  http: MockRequest,
  context: InteractionContext,
): Interaction {
  if (context.interaction) return context.interaction;
  const browserID = cookieOf(instance, http, 'interaction') ?? randomToken();
  const interaction = instance.interactions.start(context.request, browserID);
  context.interaction = interaction;
  context.cookies.push(cookie(instance, 'interaction', browserID));
  return interaction;
}

const hiddenOf = ({ id, formToken }: Interaction) => ({ interaction: id, form_token: formToken });
const pageOf = (path: string, { id }: Interaction) => `${path}?interaction=${id}`;

/** @returns what a person is called on a page that they see themselves. */
export function nameOf({ fields, username }: Account): string {
  return fields.fullName ?? username;
}

export interface LoginProblem {
  username: string;
  problem: string;
}

export function showLogin(
  instance: ProviderInstance,
  http: MockRequest,
  context: InteractionContext,
  failed?: LoginProblem,
): ProviderResponse {
  const interaction = beginInteraction(instance, http, context);
  const { client, hinted, loginHint, landing, display } = context.request;
  const body = loginPage({
    action: PAGE_PATHS.login,
    hidden: hiddenOf(interaction),
    goingTo: client.name,
    username: failed?.username ?? hinted?.username ?? loginHint,
    problem: failed?.problem,
    landing,
    registration: pageOf(PAGE_PATHS.registration, interaction),
    personas: instance.accounts.firstNames(MAX_NAMES + 1),
  });
  const status = failed ? 400 : 200;
  return pageResponse({ title: loginTitle({ landing }), body, display, status, cookies: context.cookies });
}

export function showRegistration(
  instance: ProviderInstance,
  http: MockRequest,
  context: InteractionContext,
  failed?: Registration,
): ProviderResponse {
  const interaction = beginInteraction(instance, http, context);
  const { client, display } = context.request;
  const body = registrationPage({
    action: PAGE_PATHS.registration,
    hidden: hiddenOf(interaction),
    goingTo: client.name,
    login: pageOf(PAGE_PATHS.login, interaction),
    values: failed?.values ?? {},
    problems: failed?.problems ?? {},
  });
  const status = failed ? 400 : 200;
  return pageResponse({ title: 'Create your account', body, display, status, cookies: context.cookies });
}

const showVerification: Show = (instance, http, context) => {
  const interaction = beginInteraction(instance, http, context);
  const { client, display } = context.request;
  const account = context.session?.account as Account;
  const body = verificationPage({
    ...queueStatus(instance, account),
    personName: nameOf(account),
    goOn: { action: PAGE_PATHS.verification, hidden: hiddenOf(interaction), goingTo: client.name },
    again: pageOf(PAGE_PATHS.resume, interaction),
  });
  return pageResponse({ title: 'Your verification', body, display, cookies: context.cookies });
};

export function showConsent(
  instance: ProviderInstance,
  http: MockRequest,
  context: InteractionContext,
  problem?: string,
): ProviderResponse {
  const interaction = beginInteraction(instance, http, context);
  const { client, display, redirectURI, scope } = context.request;
  const account = context.session?.account as Account;
  const body = consentPage({
    action: PAGE_PATHS.consent,
    // Who is asked: another tab may sign somebody else in before the answer comes.
    hidden: { ...hiddenOf(interaction), account: account.sub },
    clientName: client.name,
    goingTo: new URL(redirectURI).host || redirectURI,
    personName: nameOf(account),
    otherAccount: pageOf(PAGE_PATHS.login, interaction),
    scope: scope.map((word) => ({
      word,
      meaning: SCOPES.get(word) ?? word,
      detail: word === 'email' ? account.email : undefined,
      canBeRefused: word === 'email',
    })),
    problem,
  });
  const status = problem === undefined ? 200 : 400;
  return pageResponse({ title: 'Approve access', body, display, status, cookies: context.cookies });
}

export const SCREENS: Readonly<Record<Screen, Show>> = {
  login: (instance, http, context) => showLogin(instance, http, context),
  registration: (instance, http, context) => showRegistration(instance, http, context),
  verification: showVerification,
  consent: (instance, http, context) => showConsent(instance, http, context),
};
