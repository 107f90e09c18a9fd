import { expect, test } from '@jest/globals';
import { provider } from '../../helpers/provider.js';
import { TestClient } from './test-client.js';

test('each sandbox has its own requests, logins, problems, report and trace', async () => {
  const [one, other] = [provider.sandbox(), provider.sandbox()];
  await new TestClient(one).login({ state: undefined });
  await new TestClient(other).redeem('nothing');
  expect(one.logins).toMatchObject([{ login: 1, clinician: 'verified', outcome: 'signed in' }]);
  expect(one.report().findings.map(({ rule }) => rule)).toEqual(['state-missing']);
  expect(one.trace({ login: 1 })).toContain('1. GET /oauth/authorize');
  expect(one.problems).toEqual([]);
  expect(other.logins).toEqual([]);
  expect(other.problems).toMatchObject([{ request: 1, rule: 'code-valid' }]);
  expect(other.report().findings.map(({ rule }) => rule)).toEqual(['request-refused']);
  expect([provider.requests, provider.problems, provider.logins]).toEqual([[], [], []]);
  const waiting = one.requests.waitFor(() => false, { timeout: '1 hour' });
  await one.stop();
  await expect(waiting).rejects.toThrow('The provider was stopped');
});
