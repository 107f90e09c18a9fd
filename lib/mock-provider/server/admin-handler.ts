import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { RegisteredClient } from '../options/client-registration.js';

/** What answers at the paths that are no part of the service: the control API and the inspector. Neither faults nor the record know of them. */
export interface AdminHandler {
  /** @returns true for a path that is answered here. */
  has(path: string): boolean;
  /** @returns undefined for whoever is to find nothing here. */
  answer(http: MockRequest): Promise<ProviderResponse | undefined> | ProviderResponse | undefined;
}

/** One provider below another's address, as the control API tells of it. */
export interface Sandbox {
  readonly issuer: string;
  readonly apiURL: string;
  readonly shareScriptURL: string;
  readonly clients: Readonly<Record<'openid' | 'profile', RegisteredClient>>;
  stop(): Promise<void>;
}

/** What the provider does that a house alone cannot. */
export interface InstanceActions {
  sandbox(options: object): Sandbox;
  signIn(authorizeURL: string, person: { as: string; approve?: readonly string[]; deny?: boolean }): Promise<string>;
  trace(options: { login?: number }): string;
  reset(): void;
}
