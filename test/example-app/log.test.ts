import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import request from 'supertest';
import { createOutageLog, logError } from '../../example-app/src/log.js';
import { ConfigurationError, ServiceUnavailableError } from '../../lib/errors/errors.js';
import { startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteFor } from './site.js';

let lines: string[];
const LEVELS = ['info', 'warn', 'error'] as const;
beforeEach(() => {
  lines = [];
  for (const level of LEVELS) {
    jest
      .spyOn(console, level)
      .mockImplementation((line: unknown) => void lines.push(String(line).replace(/^\S+ /, '')));
  }
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe('an error of a request', () => {
  test('is printed once in a minute', () => {
    jest.useFakeTimers({ now: 0 });
    const error = new ConfigurationError('session_missing', 'Add a session.');
    for (let count = 0; count < 100; count += 1) logError(error);
    logError(new Error('another'));
    expect(lines).toEqual([
      'error A request failed: Add a session. (session_missing, see docs/reference/errors.md#session_missing)',
      expect.stringMatching(/^error A request failed: Error: another\n +at /),
    ]);
    jest.setSystemTime(60_000);
    logError(error);
    expect(lines).toHaveLength(3);
  });

  test('that a retry may resolve is a warning', () => {
    logError(new ServiceUnavailableError('service_unreachable', 'No response.'));
    expect(lines).toEqual([
      'warn A request failed: No response. (service_unreachable, see docs/reference/errors.md#service_unreachable)',
    ]);
  });
});

test('an outage has a line at its start and one at its end', () => {
  jest.useFakeTimers({ now: 0 });
  const outages = createOutageLog('Redis');
  for (let count = 0; count < 100; count += 1) outages.failed(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }));
  outages.succeeded();
  jest.advanceTimersByTime(5_000);
  outages.failed(new Error('again'));
  outages.succeeded();
  jest.advanceTimersByTime(5_000);
  expect(lines).toEqual(['warn Redis does not respond (ECONNREFUSED). Requests that need it get status 503.']);
  jest.advanceTimersByTime(5_000);
  expect(lines.slice(1)).toEqual(['warn Redis responds again, after 5 s and 101 errors.']);
});

test.each(['passport', 'drop-in'] as const)('a failed sign-in by %s is one line', async (signInBy) => {
  const provider = await startMockProvider();
  provider.faults.next('wrongContentType', { endpoint: '/oauth/token' });
  await signIn(request.agent(siteFor(provider, { signInBy })), provider, { as: 'verified' });
  await provider.stop();
  expect(lines).toEqual([expect.stringMatching(/^error A sign-in failed\. .*response_malformed/)]);
});
