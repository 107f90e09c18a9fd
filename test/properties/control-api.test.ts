import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { OPERATIONS } from '../../lib/mock-provider/control/operations.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { EXAMPLES } from '../mock-provider/control/examples.js';
import { anyJSON, anyText } from './inputs.js';
import { testProperty } from './property.js';

describe('the control API', () => {
  let provider: MockProvider;
  beforeAll(async () => {
    provider = await startMockProvider({ control: true });
  });
  afterAll(() => provider.stop());

  const ERRORS = ['bad_request', 'forbidden', 'not_found', 'no_such_request', 'method_not_allowed', 'too_large'];
  const operation = fc.constantFrom(...OPERATIONS);
  const longText = fc
    .tuple(fc.constantFrom(' ', '1 h ', '9', '1h', 'x', '[', '{"a":', '-', '1.', '2026-', '%20'), fc.nat(45_000))
    .map(([text, count]) => text.repeat(count).slice(0, 60_000));
  const anyValue = fc.oneof(anyJSON, longText);

  async function call(method: string, path: string, body?: string): Promise<Response> {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    return provider.fetch(`${provider.issuer}/_mock${path}`, { method, headers, ...(body !== undefined && { body }) });
  }

  async function expectTyped(response: Response): Promise<void> {
    const text = await response.text();
    if (response.status < 400) return;
    if (response.status >= 500) throw new Error(`status ${response.status}: ${text.slice(0, 500)}`);
    const { error, message } = JSON.parse(text) as { error: string; message: string };
    expect(ERRORS).toContain(error);
    expect(message.length).toBeGreaterThan(0);
    expect(message.length).toBeLessThan(2_000);
  }

  testProperty(
    'responds to any body and query with a result or a typed error',
    fc.tuple(operation, fc.nat(), anyValue, fc.oneof(anyText, longText), anyText),
    async ([{ method, path, body, query = {} }, index, changed, text, name]) => {
      const memberOf = (names: string[]) => names[index % names.length] ?? name;
      const example = EXAMPLES[`${method} ${path}`];
      const values = [
        { ...example, [memberOf(Object.keys(body?.members ?? {}))]: changed },
        { ...example, [name]: changed },
      ];
      const bodies = method === 'GET' ? [undefined] : [...values.map((value) => JSON.stringify(value)), text];
      for (const one of bodies) await expectTyped(await call(method, path, one));
      const parameter = memberOf(Object.keys(query).filter((one) => one !== 'wait'));
      const search = new URLSearchParams({ [parameter]: text.slice(0, 8_000) });
      await expectTyped(await call(method, `${path}?${search}`, method === 'GET' ? undefined : '{}'));
      provider.reset();
    },
    { runs: 120 },
  );
});
