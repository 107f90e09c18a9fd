import { argumentInvalid } from '../errors/errors.js';

const AGENT =
  "Pass an agent of supertest, which stores cookies: request.agent(app), where request is the package 'supertest'.";

/** Throws a `ConfigurationError` unless the agent stores cookies and there is a mock provider. @param caller `signIn()` */
export function checkArguments(caller: string, agent: unknown, provider: unknown): void {
  const fail = (problem: string): never => {
    throw argumentInvalid(`${caller} ${problem}`);
  };
  if (typeof agent === 'function') fail(`was called with the site itself. ${AGENT}`);
  if (!hasMethod(agent, 'get') || !hasMethod(agent, 'post')) fail(`was called without an agent of the site. ${AGENT}`);
  // supertest's request(app) has a method for each HTTP method, and no cookie jar.
  if (hasMethod(agent, 'propfind') && !('jar' in (agent as object)))
    fail(`was called with request(app), which stores no cookies. ${AGENT}`);
  if (!hasMethod(provider, 'signIn') || !hasMethod(provider, 'fetch'))
    fail('needs the mock provider as its second argument. Pass the provider that the site is configured with.');
}

export function hasMethod(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && typeof (value as Record<string, unknown>)[name] === 'function';
}
