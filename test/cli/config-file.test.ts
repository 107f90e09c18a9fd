import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { mockProvider } from '../../lib/cli/mock-provider-command.js';
import { snippetsOf } from '../architecture/snippets.js';
import { describeBuilt, endAll, passportClinician, runToEnd } from './program.js';

const folder = mkdtempSync(join(tmpdir(), 'passport-clinician-'));
const file = join(folder, 'mock.json');
afterEach(endAll);
afterAll(() => rmSync(folder, { recursive: true }));

const startWith = async (content: string, ...args: string[]) => {
  writeFileSync(file, content);
  return runToEnd(['mock-provider', '--port', '0', '--stop-with-stdin', '--config', 'mock.json', ...args], {}, folder);
};
/** @returns the message with which the command fails. It runs in this process: a process for each test would be slow. */
const errorOf = async (content: string): Promise<string> => {
  writeFileSync(file, content);
  const error = await mockProvider.run(['--port', '0', '--config', file]).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ exitCode: 1 });
  return (error as Error).message.replace(file, 'mock.json');
};
const client = {
  clientID: 'app',
  clientSecret: 'planted-secret',
  flow: 'openid',
  redirectURIs: ['http://127.0.0.1:5001/cb'],
};
const oneClient = (changes: object): string => JSON.stringify({ clients: [{ ...client, ...changes }] }, null, 2);

describeBuilt('a config file', () => {
  test('registers its clients and adds its clinicians', async () => {
    const page = readFileSync(new URL('../../docs/reference/command-line.md', import.meta.url), 'utf8');
    const sample = snippetsOf('command-line.md', page).find(({ language }) => language === 'json')?.code ?? '';
    writeFileSync(file, `\uFEFF${sample}`);
    const program = passportClinician(['mock-provider', '--port', '0', '--control', '--config', file]);
    await program.printed('Ctrl+C');
    const { out } = program.output;
    expect(out).toMatch(/client, openid +app$/m);
    expect(out).toMatch(/sign in as +verified, .*, alice$/m);
    expect(out).toMatch(/password +clinician, or that of the config file/);
    for (const { clientSecret, password } of [...JSON.parse(sample).clients, ...JSON.parse(sample).clinicians])
      expect(out).not.toContain(clientSecret ?? password);
    const issuer = /issuer +(\S+)/.exec(out)?.[1];
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ username: 'alice' });
    const clinician = await fetch(`${issuer}/_mock/clinicians`, { method: 'PATCH', headers, body });
    expect(await clinician.text()).toContain('"username":"alice"');
  });

  test('the command line overrides the file', async () => {
    expect((await startWith('{ "host": "0.0.0.0" }', '--host', '127.0.0.1')).code).toBe(0);
  });

  test('an error ends the process with exit code 1 and one line on stderr', async () => {
    const { code, out, err } = await startWith('{ "port": 0, }');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^mock\.json is not JSON\. Expected double-quoted property name .*\n$/);
  });
});

describe('an error in a config file', () => {
  test.each<[string, string, RegExp]>([
    ['an empty file', '', /Unexpected end of JSON input$/],
    ['no JSON', 'planted-secret', /Unexpected token 'p'$/],
  ])('%s: the error has the file and the message of the parser, without the text', async (_, content, message) => {
    const error = await errorOf(content);
    expect(error).toMatch(/^mock\.json is not JSON\./);
    expect(error).toMatch(message);
    expect(error).not.toMatch(/\n|planted/);
  });

  test.each<[string, string, string]>([
    ['a misspelled option', '{\n  "clientz": []\n}', 'The config file has no option "clientz". Did you mean clients?'],
    [
      'a secret of a wrong type',
      oneClient({ clientSecret: 424242 }),
      'clients[0].clientSecret must be a string that is not empty, not a number.',
    ],
  ])('%s: the error has the path of the option and the fix, and no secret', async (_, content, message) => {
    const error = await errorOf(content);
    expect(error).toMatch(/^mock\.json: [^\n]+$/);
    expect(error).toContain(`mock.json: ${message}`);
    expect(error).not.toMatch(/planted-secret|424242/);
  });
});
