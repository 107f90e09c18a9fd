import { PAGE_PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import { SCOPES } from '../options/scopes.js';
import { consentPage } from '../pages/consent-page.js';
import { loginPage, loginTitle } from '../pages/login-page.js';
import { pageResponse } from '../pages/page.js';
import { registrationPage } from '../pages/registration-page.js';
import { verificationPage } from '../pages/verification-page.js';
import type { Account } from '../state/account.js';
import type { AccountStore } from '../state/accounts.js';
import type { ResponseTarget } from '../state/authorization-request.js';
import type { MockClock } from '../state/clock.js';
import type { Interaction } from '../state/interactions.js';
import type { InteractionContext, InteractionLookup } from './interaction-context.js';
import { type OneClickDependencies, userChoices } from './one-click.js';
import type { Registration } from './registration-form.js';
import { queueStatus } from './verification-queue.js';

/** The screens of an authorization, in the order in which they are shown. */
export type Screen = 'registration' | 'login' | 'verification' | 'consent';

type Show<Detail = never> = (http: MockRequest, context: InteractionContext, detail?: Detail) => ProviderResponse;

/** Shows a screen. The last argument is the reason why the form is shown again. */
export interface Screens extends Readonly<Record<Screen, Show>> {
  readonly registration: Show<Registration>;
  readonly login: Show<LoginProblem>;
  readonly consent: Show<string>;
}

export interface LoginProblem {
  username: string;
  problem: string;
}

interface Dependencies extends OneClickDependencies {
  readonly lookup: Pick<InteractionLookup, 'begin'>;
  readonly accounts: Pick<AccountStore, 'all' | 'names' | 'byUsername'>;
  readonly clock: MockClock;
}

const hiddenOf = ({ id, formToken }: Interaction) => ({ interaction: id, form_token: formToken });
/** @returns the host that a user returns to; of an address without a host, such as that of an app, the whole address. */
const hostOf = (redirectURI: string) => new URL(redirectURI).host || redirectURI;
const applicationName = ({ client, redirectURI }: ResponseTarget) => client.name ?? hostOf(redirectURI);
const pageOf = (path: string, { id }: Interaction) => `${path}?interaction=${id}`;

export function createScreens(dependencies: Dependencies): Screens {
  const { lookup, accounts, clock } = dependencies;
  return {
    registration(http, context, failed) {
      const interaction = lookup.begin(http, context);
      const { display } = context.request;
      const body = registrationPage({
        action: PAGE_PATHS.registration,
        hidden: hiddenOf(interaction),
        destination: applicationName(context.request),
        login: pageOf(PAGE_PATHS.login, interaction),
        values: failed?.values ?? {},
        problems: failed?.problems ?? {},
      });
      const status = failed ? 400 : 200;
      return pageResponse({ title: 'Create your account', body, display, status, cookies: context.cookies });
    },

    login(http, context, failed) {
      const interaction = lookup.begin(http, context);
      const { loginHint, landing, display } = context.request;
      const body = loginPage({
        action: PAGE_PATHS.login,
        hidden: hiddenOf(interaction),
        destination: applicationName(context.request),
        username: failed?.username ?? loginHint,
        problem: failed?.problem,
        landing,
        registration: pageOf(PAGE_PATHS.registration, interaction),
        users: userChoices(http, dependencies),
      });
      const status = failed ? 400 : 200;
      return pageResponse({ title: loginTitle({ landing }), body, display, status, cookies: context.cookies });
    },

    verification(http, context) {
      const interaction = lookup.begin(http, context);
      const { display } = context.request;
      const account = context.session?.account as Account;
      const body = verificationPage({
        ...queueStatus(account, accounts, clock.now()),
        displayName: account.displayName,
        continueTo: {
          action: PAGE_PATHS.verification,
          hidden: hiddenOf(interaction),
          destination: applicationName(context.request),
        },
        reloadAt: pageOf(PAGE_PATHS.resume, interaction),
      });
      return pageResponse({ title: 'Your verification', body, display, cookies: context.cookies });
    },

    consent(http, context, problem) {
      const interaction = lookup.begin(http, context);
      const { display, redirectURI, scope } = context.request;
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
      const status = problem === undefined ? 200 : 400;
      return pageResponse({ title: 'Approve access', body, display, status, cookies: context.cookies });
    },
  };
}
