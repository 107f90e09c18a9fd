import { PAGE_PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import { SCOPES } from '../options/scopes.js';
import { consentPage } from '../pages/consent-page.js';
import { loginPage, loginTitle, MAX_NAMES } from '../pages/login-page.js';
import { pageResponse } from '../pages/page.js';
import { registrationPage } from '../pages/registration-page.js';
import { verificationPage } from '../pages/verification-page.js';
import type { Account } from '../state/account.js';
import type { AccountStore } from '../state/accounts.js';
import type { MockClock } from '../state/clock.js';
import type { Interaction } from '../state/interactions.js';
import type { InteractionContext, InteractionLookup } from './interaction-context.js';
import type { Registration } from './registration-form.js';
import { queueStatus } from './verification-queue.js';

/** Lists the screens of an authorization, in the order in which they are shown. */
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

interface Dependencies {
  readonly lookup: Pick<InteractionLookup, 'begin'>;
  readonly accounts: Pick<AccountStore, 'firstUsernames' | 'names' | 'byUsername'>;
  readonly clock: MockClock;
}

const hiddenOf = ({ id, formToken }: Interaction) => ({ interaction: id, form_token: formToken });
const pageOf = (path: string, { id }: Interaction) => `${path}?interaction=${id}`;

/** @returns the name of a user on their own pages. */
export function nameOf({ fields, username }: Account): string {
  return fields.fullName ?? username;
}

export function createScreens({ lookup, accounts, clock }: Dependencies): Screens {
  return {
    registration(http, context, failed) {
      const interaction = lookup.begin(http, context);
      const { client, display } = context.request;
      const body = registrationPage({
        action: PAGE_PATHS.registration,
        hidden: hiddenOf(interaction),
        destination: client.name,
        login: pageOf(PAGE_PATHS.login, interaction),
        values: failed?.values ?? {},
        problems: failed?.problems ?? {},
      });
      const status = failed ? 400 : 200;
      return pageResponse({ title: 'Create your account', body, display, status, cookies: context.cookies });
    },

    login(http, context, failed) {
      const interaction = lookup.begin(http, context);
      const { client, loginHint, landing, display } = context.request;
      const body = loginPage({
        action: PAGE_PATHS.login,
        hidden: hiddenOf(interaction),
        destination: client.name,
        username: failed?.username ?? loginHint,
        problem: failed?.problem,
        landing,
        registration: pageOf(PAGE_PATHS.registration, interaction),
        personas: accounts.firstUsernames(MAX_NAMES + 1),
      });
      const status = failed ? 400 : 200;
      return pageResponse({ title: loginTitle({ landing }), body, display, status, cookies: context.cookies });
    },

    verification(http, context) {
      const interaction = lookup.begin(http, context);
      const { client, display } = context.request;
      const account = context.session?.account as Account;
      const body = verificationPage({
        ...queueStatus(account, accounts, clock.now()),
        displayName: nameOf(account),
        continueTo: { action: PAGE_PATHS.verification, hidden: hiddenOf(interaction), destination: client.name },
        reloadAt: pageOf(PAGE_PATHS.resume, interaction),
      });
      return pageResponse({ title: 'Your verification', body, display, cookies: context.cookies });
    },

    consent(http, context, problem) {
      const interaction = lookup.begin(http, context);
      const { client, display, redirectURI, scope } = context.request;
      const account = context.session?.account as Account;
      const body = consentPage({
        action: PAGE_PATHS.consent,
        // Another tab may sign in another user before this form is sent.
        hidden: { ...hiddenOf(interaction), account: account.sub },
        clientName: client.name,
        destination: new URL(redirectURI).host || redirectURI,
        displayName: nameOf(account),
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
