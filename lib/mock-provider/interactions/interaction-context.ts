import type { MockRequest } from '../http/request.js';
import type { AuthorizationRequest } from '../protocol/authorization/authorization-request.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Interaction } from '../state/interactions.js';
import type { Session } from '../state/sessions.js';
import { currentSession } from './current-session.js';

/** Where one authorization request stands in one browser. */
export interface InteractionContext {
  request: AuthorizationRequest;
  session: Session | undefined;
  interaction: Interaction | undefined;
  /** To be set with the answer. */
  cookies: string[];
}

/** What a person is shown; each returns to the dispatcher. */
export type Screen = 'registration' | 'login' | 'verification' | 'consent';

export function interactionContext(
  instance: ProviderInstance,
  http: MockRequest,
  interaction: Interaction,
): InteractionContext {
  const session = currentSession(instance, http);
  return { request: interaction.request, session, interaction, cookies: [] };
}

/** @returns the first screen that is still needed (decisions 28 to 34). */
export function nextScreen(instance: ProviderInstance, context: InteractionContext): Screen | undefined {
  if (needsRegistration(context)) return 'registration';
  if (needsLogin(instance, context)) return 'login';
  if (needsVerification(context)) return 'verification';
  return needsConsent(instance, context) ? 'consent' : undefined;
}

/** Decision 31: first of all, also for somebody who is signed in; who has an account may sign in instead. */
function needsRegistration({ request, interaction }: InteractionContext): boolean {
  return request.prompt.has('create') && !interaction?.hasRegistered && !interaction?.hasSignedIn;
}

function needsLogin(instance: ProviderInstance, { request, session, interaction }: InteractionContext): boolean {
  if (session === undefined) return true;
  if (interaction?.hasSignedIn) return false;
  const { maxAge, hinted, prompt } = request;
  const isTooOld = maxAge !== undefined && instance.clock.now() - session.authTime > maxAge * 1000;
  const isAnother = hinted !== undefined && hinted !== session.account;
  return prompt.has('login') || isTooOld || maxAge === 0 || isAnother;
}

/** Who waits in the manual queue is told where they stand, once: after registering, and where verifying is what they came for. */
function needsVerification({ request, session, interaction }: InteractionContext): boolean {
  if (session === undefined || session.account.isVerified || request.prompt.has('none')) return false;
  if (interaction?.hasSeenVerification) return false;
  return interaction?.hasRegistered === true || request.landing === 'verify';
}

function needsConsent(instance: ProviderInstance, { request, session, interaction }: InteractionContext): boolean {
  if (session === undefined) return true;
  const { sub } = session.account;
  if (interaction?.consent?.sub === sub) return false;
  return request.prompt.has('consent') || !instance.consents.covers(sub, request.client.id, request.scope);
}
