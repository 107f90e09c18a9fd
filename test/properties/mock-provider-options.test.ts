import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { CommandError } from '../../lib/cli/command.js';
import { readConfigFile } from '../../lib/cli/config-file.js';
import { OPERATIONS } from '../../lib/mock-provider/control/operations.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { parseDuration } from '../../lib/mock-provider/options/duration.js';
import { EXAMPLES } from '../mock-provider/control/examples.js';
import { alterations, anyJSON, anyText } from './inputs.js';
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

  testProperty(
    'refuses each wait that is no duration of at most 30 seconds',
    fc.oneof(anyText, longText),
    async (wait) => {
      const ms = parseDuration(/^\d+$/.test(wait) ? Number(wait) : wait);
      expect(ms === undefined || Number.isFinite(ms)).toBe(true);
      fc.pre(wait !== '' && (ms === undefined || ms < 0 || ms > 30_000));
      const response = await call('GET', `/requests?${new URLSearchParams({ wait: wait.slice(0, 8_000) })}`);
      expect(response.status).toBe(400);
      await expectTyped(response);
    },
    { runs: 60 },
  );
});

describe('a config file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'passport-clinician-'));
  const file = join(folder, 'mock.json');
  afterAll(() => rmSync(folder, { recursive: true }));

  const VALID = {
    clients: [
      {
        clientID: 'app',
        clientSecret: 'planted-secret',
        flow: 'openid',
        redirectURIs: ['http://127.0.0.1:5001/callback'],
        postLogoutRedirectURIs: [],
        scope: 'openid basic',
      },
    ],
    clinicians: [{ username: 'alice', password: 'planted-password', npi: 1234567893, verified: true }],
    lifetimes: { accessToken: '30 minutes' },
    rateLimit: { limit: 5000, window: '1 hour' },
    spelling: 'list',
  };
  const names = [...Object.keys(VALID), 'host', 'publicURL', 'https', 'control', 'verification'];
  const valueText = alterations(names).map((alter) => alter(VALID));
  const clientText = alterations(Object.keys(VALID.clients[0] as object)).map((alter) => {
    const [first] = VALID.clients;
    return JSON.stringify(VALID).replace(JSON.stringify(first), () => String(alter(first as Record<string, unknown>)));
  });

  testProperty(
    'is read, or its error has the file and no secret',
    fc.oneof(
      valueText,
      clientText,
      anyText,
      anyJSON.map((value) => JSON.stringify(value) ?? ''),
    ),
    (content) => {
      writeFileSync(file, content);
      try {
        expect(readConfigFile(file)).toEqual(expect.any(Object));
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        expect(error.message).toMatch(/^\S+mock\.json(: | is not (?:JSON|UTF-8)\.)/);
        expect(error.message).not.toContain('planted-');
        expect(error.message.length).toBeLessThan(2_000);
      }
    },
    { runs: 200 },
  );

  testProperty(
    'whose options are valid starts a provider, or reports the option',
    fc.oneof(valueText, clientText),
    async (content) => {
      writeFileSync(file, content);
      let options: Parameters<typeof startMockProvider>[0];
      try {
        options = readConfigFile(file);
      } catch {
        return;
      }
      const started = await startMockProvider({ ...options, port: 0, apiPort: 0 }).catch((error: unknown) => {
        expect((error as Error).name).toMatch(/^(TypeError|Error)$/);
        expect((error as Error).message).toMatch(/^\S+.* .*[.?]$/s);
      });
      await started?.stop();
    },
    { runs: 60 },
  );
});
