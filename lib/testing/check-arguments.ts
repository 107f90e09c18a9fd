import { argumentInvalid } from '../errors/errors.js';

/** Throws a `ConfigurationError` unless the agent stores cookies and there is a mock provider. @param caller `signIn()` */
export function checkArguments(caller: string, agent: unknown, provider: unknown): void {
  // supertest's request(app) has a method for each HTTP method, and no cookie jar.
  const storesNoCookies = hasMethod(agent, 'propfind') && !('jar' in (agent as object));
  if (!hasMethod(agent, 'get') || !hasMethod(agent, 'post') || storesNoCookies) {
    throw argumentInvalid(
      `${caller} needs an agent of supertest, which stores cookies, as its first argument: request.agent(app), where request is the package 'supertest'.`,
    );
  }
  if (!hasMethod(provider, 'signIn') || !hasMethod(provider, 'fetch')) {
    throw argumentInvalid(
      `${caller} needs the mock provider as its second argument. Pass the provider that the site is configured with.`,
    );
  }
}

export function hasMethod(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && typeof (value as Record<string, unknown>)[name] === 'function';
}
