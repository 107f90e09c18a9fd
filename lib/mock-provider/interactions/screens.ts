import type { MockRequest } from '../http/request.js';
import type { Answer } from '../http/response.js';
import { cookie, cookieOf } from '../http/session-cookies.js';
import { consentPage } from '../pages/consent-page.js';
import { loginPage, loginTitle, MOST_NAMES } from '../pages/login-page.js';
import { pageAnswer } from '../pages/page.js';
import { PAGE_PATHS } from '../pages/paths.js';
import { registrationPage } from '../pages/registration-page.js';
import { verificationPage } from '../pages/verification-page.js';
import { SCOPES } from '../protocol/scopes.js';
import type { House } from '../provider-instance.js';
import type { Account } from '../state/account.js';
import type { Interaction } from '../state/interactions.js';
import { randomToken } from '../state/random.js';
import type { Screen, Standing } from './interaction-context.js';
import type { Registration } from './registration-form.js';
import { queueStanding } from './verification-queue.js';

type Show = (house: House, http: MockRequest, standing: Standing) => Answer;

/** The interaction of this request in this browser; begun when there is none. */
export function beginInteraction(house: House, http: MockRequest, standing: Standing): Interaction {
  if (standing.interaction) return standing.interaction;
  const browserID = cookieOf(house, http, 'interaction') ?? randomToken();
  const interaction = house.interactions.start(standing.request, browserID);
  standing.interaction = interaction;
  standing.cookies.push(cookie(house, 'interaction', browserID));
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

export function showLogin(house: House, http: MockRequest, standing: Standing, failed?: LoginProblem): Answer {
  const interaction = beginInteraction(house, http, standing);
  const { client, hinted, loginHint, landing, display } = standing.request;
  const body = loginPage({
    action: PAGE_PATHS.login,
    hidden: hiddenOf(interaction),
    goingTo: client.name,
    username: failed?.username ?? hinted?.username ?? loginHint,
    problem: failed?.problem,
    landing,
    registration: pageOf(PAGE_PATHS.registration, interaction),
    personas: house.accounts.firstNames(MOST_NAMES + 1),
  });
  const status = failed ? 400 : 200;
  return pageAnswer({ title: loginTitle({ landing }), body, display, status, cookies: standing.cookies });
}

export function showRegistration(house: House, http: MockRequest, standing: Standing, failed?: Registration): Answer {
  const interaction = beginInteraction(house, http, standing);
  const { client, display } = standing.request;
  const body = registrationPage({
    action: PAGE_PATHS.registration,
    hidden: hiddenOf(interaction),
    goingTo: client.name,
    login: pageOf(PAGE_PATHS.login, interaction),
    values: failed?.values ?? {},
    problems: failed?.problems ?? {},
  });
  const status = failed ? 400 : 200;
  return pageAnswer({ title: 'Create your account', body, display, status, cookies: standing.cookies });
}

const showVerification: Show = (house, http, standing) => {
  const interaction = beginInteraction(house, http, standing);
  const { client, display } = standing.request;
  const account = standing.session?.account as Account;
  const body = verificationPage({
    ...queueStanding(house, account),
    personName: nameOf(account),
    goOn: { action: PAGE_PATHS.verification, hidden: hiddenOf(interaction), goingTo: client.name },
    again: pageOf(PAGE_PATHS.resume, interaction),
  });
  return pageAnswer({ title: 'Your verification', body, display, cookies: standing.cookies });
};

export function showConsent(house: House, http: MockRequest, standing: Standing, problem?: string): Answer {
  const interaction = beginInteraction(house, http, standing);
  const { client, display, redirectURI, scope } = standing.request;
  const account = standing.session?.account as Account;
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
  return pageAnswer({ title: 'Approve access', body, display, status, cookies: standing.cookies });
}

export const SCREENS: Readonly<Record<Screen, Show>> = {
  login: (house, http, standing) => showLogin(house, http, standing),
  registration: (house, http, standing) => showRegistration(house, http, standing),
  verification: showVerification,
  consent: (house, http, standing) => showConsent(house, http, standing),
};
