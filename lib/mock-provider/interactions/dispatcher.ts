import { PAGE_PATHS, PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import { redirectResponse } from '../http/response.js';
import type { AuthorizationResponses } from '../protocol/authorization/authorization-response.js';
import type { EndpointResult } from '../protocol/endpoint.js';
import { Refusal } from '../protocol/refusal.js';
import type { MockClock } from '../state/clock.js';
import type { ConsentStore } from '../state/consents.js';
import type { Session } from '../state/sessions.js';
import type { InteractionContext, InteractionLookup } from './interaction-context.js';
import type { LoginForm } from './login-form.js';
import { consentScreen, loginScreen, registrationScreen, verificationScreen } from './screens.js';

/** Continues an authorization: shows the next screen, or sends the authorization response. Every screen returns here. */
export type Dispatch = (http: MockRequest, context: InteractionContext) => Promise<EndpointResult>;

/** The screens of an authorization, in the order in which they are shown. */
type Screen = 'registration' | 'login' | 'verification' | 'consent';

export function createDispatcher(
  lookup: InteractionLookup,
  loginForm: LoginForm,
  consents: ConsentStore,
  responses: AuthorizationResponses,
  clock: MockClock,
): Dispatch {
  function nextScreen(context: InteractionContext): Screen | undefined {
    if (needsRegistration(context)) return 'registration';
    if (needsLogin(context, clock.now())) return 'login';
    if (needsVerification(context)) return 'verification';
    return needsConsent(context, consents) ? 'consent' : undefined;
  }

  function show(screen: Screen, http: MockRequest, context: InteractionContext): EndpointResult {
    const started = lookup.begin(http, context);
    if (screen === 'registration') return registrationScreen(started);
    if (screen === 'login') return loginScreen(started, loginForm.usersFor(http));
    return screen === 'verification' ? verificationScreen(started) : consentScreen(started);
  }

  /** Continues at an own address, so that a reload of the page or a return to it sends no form again. */
  function continueByGET(http: MockRequest, context: InteractionContext): EndpointResult {
    const { id } = lookup.begin(http, context).interaction;
    return redirectResponse(http.method, `${PAGE_PATHS.resume}?interaction=${id}`, context.cookies);
  }

  return async function dispatch(http, context) {
    const { request, cookies } = context;
    if (mayHaveSession(http, context)) return continueByGET(http, context);
    const screen = nextScreen(context);
    const refusal = request.prompt.has('none') ? refuseScreen(screen) : undefined;
    if (refusal === undefined && screen !== undefined) {
      const isAtOwnAddress = http.method !== 'POST' || http.path === PATHS.authorize;
      return isAtOwnAddress ? show(screen, http, context) : continueByGET(http, context);
    }
    lookup.end(context);
    if (refusal) return responses.refuse(http, request, refusal, cookies);
    const session = context.session as Session;
    const scope = consents.approved(session.account.sub, request.client.id, request.scope);
    return responses.succeed(http, { request, session, scope }, cookies);
  };
}

/**
 * @returns true for the request of another site by POST: a browser sends SameSite=Lax cookies not with it, but with the GET that
 * it is redirected to.
 */
function mayHaveSession({ method, path, headers }: MockRequest, { session }: InteractionContext): boolean {
  return method === 'POST' && path === PATHS.authorize && session === undefined && headers.origin !== undefined;
}

/** Shows the page also to a user with a session, who may sign in instead. */
function needsRegistration({ request, interaction }: InteractionContext): boolean {
  return request.prompt.has('create') && !interaction?.hasSignedIn;
}

function needsLogin({ request, session, interaction }: InteractionContext, now: number): boolean {
  if (session === undefined) return true;
  if (interaction?.hasSignedIn) return false;
  const { maxAge, prompt } = request;
  const isTooOld = maxAge !== undefined && now - session.authTime > maxAge * 1000;
  return prompt.has('login') || isTooOld || maxAge === 0;
}

/** Shows a user in the manual queue their position once: after registration, and if the request has type=verify. */
function needsVerification({ request, session, interaction }: InteractionContext): boolean {
  if (session === undefined || session.account.isVerified || request.prompt.has('none')) return false;
  if (interaction?.hasSeenVerification) return false;
  return interaction?.hasRegistered === true || request.landing === 'verify';
}

function needsConsent({ request, session, interaction }: InteractionContext, consents: ConsentStore): boolean {
  if (session === undefined) return true;
  const { sub } = session.account;
  if (interaction?.approvedBy === sub) return false;
  return request.prompt.has('consent') || !consents.covers(sub, request.client.id, request.scope);
}

/** Refuses a request with prompt=none that would need a screen. */
function refuseScreen(screen: Screen | undefined): Refusal | undefined {
  if (screen === undefined) return undefined;
  const refuse = (error: string, description: string) => new Refusal('prompt-none-without-ui', error, description);
  if (screen === 'login') return refuse('login_required', 'No user is signed in');
  if (screen === 'consent') return refuse('consent_required', 'The scope has not been approved');
  return refuse('interaction_required', 'A page would have to be shown');
}
