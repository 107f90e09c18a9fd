import { beginAtCaller } from '../errors/caller-stack.js';
import { argumentInvalid } from '../errors/errors.js';
import { resetOf } from '../reset.js';

/**
 * Removes what an instance has counted and cached, so that the next request sees the current state of the service. That is the
 * budgets of rate limits, the circuit breaker of the resource API, the back-offs after failed refreshes, the metadata and the
 * keys, profiles, and the results that guards use until `recheckAfter`. Sessions, tokens and logins remain. Call it between
 * tests, or while no request is in progress.
 *
 * Throws a `ConfigurationError` `argument_invalid` for any other value, and `test_only` with `NODE_ENV=production`.
 * @param instance the return value of `clinicianLogin()`, or a `ClinicianStrategy`
 * @example
 * ```ts
 * provider.revokeGrants({ username: 'verified' });
 * resetForTest(clinician);
 * await agent.get('/notes').expect(401); // without a wait for recheckAfter
 * ```
 */
export function resetForTest(instance: object): void {
  const reset = resetOf(instance);
  if (reset === undefined) {
    const problem = 'resetForTest() needs an instance. Pass what clinicianLogin() returned, or a ClinicianStrategy.';
    throw beginAtCaller(argumentInvalid(problem), resetForTest);
  }
  reset();
}
