import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { readConfigFile } from '../../lib/cli/config/config-file.js';
import { snippetsOf } from '../architecture/snippets.js';
import { describeBuilt, endAll, passportClinician, runToEnd } from './program.js';

const folder = mkdtempSync(join(tmpdir(), 'passport-clinician-'));
const file = join(folder, 'mock.json');
afterEach(endAll);
afterAll(() => rmSync(folder, { recursive: true }));

const startWith = async (content: string | Buffer, ...args: string[]) => {
  writeFileSync(file, content);
  return runToEnd(
    ['mock-provider', '--port', '0', '--quiet', '--stop-with-stdin', '--config', 'mock.json', ...args],
    {},
    folder,
  );
};
/** What the reader of a config file says in this process: starting a program for each of so many faults would take long. */
const faultOf = (content: string): string => {
  writeFileSync(file, content);
  try {
    readConfigFile(file);
  } catch (error) {
    expect(error).toMatchObject({ exitCode: 1 });
    return (error as Error).message.replace(file, 'mock.json');
  }
  return 'it is taken';
};
const client = {
  clientID: 'app',
  clientSecret: 'planted-secret',
  flow: 'openid',
  redirectURIs: ['http://127.0.0.1:5001/cb'],
};
const oneClient = (changes: object): string => JSON.stringify({ clients: [{ ...client, ...changes }] }, null, 2);
const onePerson = (person: object): string => JSON.stringify({ clinicians: [person] }, null, 2);

describeBuilt('a config file', () => {
  test('has the shapes of the options, and its clients and people are there', async () => {
    const page = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8');
    const sample = snippetsOf('command-line.md', page).find(({ language }) => language === 'json')?.code ?? '';
    writeFileSync(file, `\uFEFF${sample}`);
    const program = passportClinician(['mock-provider', '--port', '0', '--control', '--config', file]);
    while (!program.said.out.includes('Ctrl+C')) await once(program.child.stdout as NodeJS.ReadableStream, 'data');
    const { out } = program.said;
    expect(out).toMatch(/client, openid +app$/m);
    expect(out).toMatch(/sign in as +verified, .*, alice$/m);
    expect(out).toMatch(/password +clinician, unless the config file says otherwise/);
    for (const { clientSecret, password } of [...JSON.parse(sample).clients, ...JSON.parse(sample).clinicians])
      expect(out).not.toContain(clientSecret ?? password);
    const issuer = /issuer +(\S+)/.exec(out)?.[1];
    const people = await fetch(`${issuer}/_mock/clinicians`);
    expect(await people.text()).toContain('alice');
    const asks = async (clientID: string): Promise<number> => {
      const query = new URLSearchParams({
        client_id: clientID,
        response_type: 'code',
        redirect_uri: 'http://127.0.0.1:5001/callback',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      });
      return (await fetch(`${issuer}/oauth/authorize?${query}`)).status;
    };
    expect([await asks('app'), await asks('nobody')]).toEqual([200, 400]);
  });

  test('the command line has the last word', async () => {
    const { code, err } = await startWith('{ "host": "127.0.0.1" }', '--host', '0.0.0.0');
    expect([code, err]).toEqual([1, expect.stringMatching(/^host must be of this machine/)]);
    expect((await startWith('{ "host": "0.0.0.0" }', '--host', '127.0.0.1')).code).toBe(0);
  });

  test.each<[string, string, string]>([
    ['a file without anything', '', '1:1: The file is empty: put at least {} into it.'],
    ['a list', '[]', '1:1: The config file must be an object, not a list.'],
    ['a comma too many', '{\n  "port": 0,\n}', '2:12: Take out this comma: no member follows it.'],
    ['a comma too many in a list', '{"clients": [\n  ,]}', '2:3: Take out this comma: no element stands before it.'],
    [
      'a comma too few',
      '{\n  "port": 0\n  "host": "localhost"\n}',
      '3:3: A comma is missing before this member, or a }.',
    ],
    ['a comment', '{\n  // a port\n  "port": 0\n}', '2:3: JSON has no comments: take this one out.'],
    ['single quotes', "{ 'port': 0 }", '1:3: JSON takes double quotes'],
    ['a bare name', '{ port: 0 }', '1:3: Put double quotes around the name: "port".'],
    ['no colon', '{ "port" 0 }', '1:10: A colon is missing after "port".'],
    [
      'a member twice',
      '{\n  "port": 0,\n  "host": "a",\n  "port": 1\n}',
      '4:3: "port" is given twice, the first time in line 2: keep one.',
    ],
    ['a text without end', '{ "host": "local\n}', '1:11: This text has no end in its line'],
    ['a Windows path', String.raw`{ "host": "C:\mock" }`, '1:14: There is no such escape in JSON'],
    ['a bare word', '{ "host": localhost }', '1:11: This is no value of JSON'],
    ['a number as nobody writes it', '{ "port": 0400 }', '1:11: This is no value of JSON'],
    ['an end too early', '{ "rateLimit": { "limit": 5 }', '1:1: This is never closed: a } is missing.'],
    ['no value', '{ "port":', '1:10: The file ends where a value belongs.'],
    ['an end too late', '{ } }', '1:5: Nothing may follow here'],
    ['a bottomless list', `{"clients":${'['.repeat(5000)}`, '1:112: This is nested too deeply.'],
    ['a tab in a text', '{ "host": "a\tb" }', '1:13: This character has to be escaped'],
  ])('%s: file, line, column and the fix', (_, content, sentence) => {
    const fault = faultOf(content);
    expect(fault).toContain(`mock.json:${sentence}`);
    expect(fault).not.toContain('\n');
  });

  test.each<[string, string, string]>([
    ['a misspelled option', '{\n  "clientz": []\n}', '2:3: The config file has no "clientz". Did you mean "clients"?'],
    ['an option of nobody', '{\n  "tls": true\n}', '2:3: The config file has no "tls". Known are: port, host'],
    ['__proto__', '{ "__proto__": { "port": 1 } }', '1:3: The config file has no "__proto__".'],
    [
      'a misspelled member',
      oneClient({ redirectURI: 'x' }),
      'clients[0] has no "redirectURI". Did you mean "redirectURIs"?',
    ],
    ['the wrong type', '{\n  "port": "4400"\n}', '2:11: port must be a number, not a text.'],
    [
      'a text for a list',
      oneClient({ redirectURIs: 'http://x' }),
      '7:23: clients[0].redirectURIs must be a list of texts, not a text.',
    ],
    [
      'a secret of the wrong type',
      oneClient({ clientSecret: 424242 }),
      '5:23: clients[0].clientSecret must be a text, not a number.',
    ],
    ['a word for yes', oneClient({ requirePKCE: 'no' }), 'clients[0].requirePKCE must be true or false, not a text.'],
    ['a client without a secret', '{ "clients": [\n { "clientID": "x" } ] }', '2:2: clients[0] needs "clientSecret".'],
    ['a clinician without a name', onePerson({ npi: 1 }), '3:5: clinicians[0] needs "username".'],
    [
      'half a certificate',
      '{ "https": { "key": "x" } }',
      '1:12: https must be true or false, or an object with key and cert in PEM',
    ],
  ])('%s: the place, the name and the nearest right one', (_, content, sentence) => {
    const fault = faultOf(content);
    expect(fault).toMatch(/^mock\.json:\d+:\d+: [^\n]+$/);
    expect(fault).toContain(sentence);
    expect(fault).not.toMatch(/planted-secret|424242/);
  });

  test.each<[string, string, string]>([
    [
      'a redirect URI',
      oneClient({ redirectURIs: ['https://app.example/cb', 'http://app.example/cb'] }),
      '9:9: redirectURIs cannot hold "http://app.example/cb": it is http on a public host',
    ],
    ['a flow', oneClient({ flow: 'opened' }), `6:15: clients[0] needs flow: 'openid' (Form B) or 'profile' (Form A)`],
    [
      'a scope',
      oneClient({ scope: 'openid basik' }),
      '10:16: There is no scope "basik" in the openid flow. Did you mean basic?',
    ],
    ['no redirect URI', oneClient({ redirectURIs: [] }), '7:23: redirectURIs needs at least one address.'],
    [
      'a client that there is',
      oneClient({ clientID: 'ready-made-openid' }),
      '4:19: There is a client "ready-made-openid" already',
    ],
    ['a clinician that there is', onePerson({ username: 'verified' }), '4:19: There is a clinician "verified" already'],
  ])('what the mock provider says of %s has the place', (_, content, sentence) => {
    const fault = faultOf(content);
    expect(fault).toContain(`mock.json:${sentence}`);
    expect(fault).not.toContain('planted-secret');
  });

  test.each<[string, string, string]>([
    [
      'a duration',
      '{\n  "lifetimes": {\n    "code": "soon"\n  }\n}',
      `3:13: lifetimes.code must be a duration such as '30 minutes'`,
    ],
    ['a limit', '{\n  "rateLimit": {\n    "limit": -1\n  }\n}', '3:14: rateLimit.limit must be a whole number'],
    ['a spelling', '{\n  "port": 0,\n  "spelling": "camel"\n}', "3:15: spelling must be 'sample' or 'list' or 'both'."],
    ['a host', '{\n  "host": "0.0.0.0"\n}', '2:11: host must be of this machine'],
    [
      'an open control API',
      '{\n  "host": "0.0.0.0", "https": true,\n "control": true\n}',
      '3:13: control: true is for a provider that this machine alone can reach',
    ],
    ['a comma too many, as printed', '{ "port": 0, }', '1:12: Take out this comma'],
  ])('and so has what it says of %s when it starts', async (_, content, sentence) => {
    const { code, out, err } = await startWith(content);
    expect([code, out, err]).toEqual([1, '', expect.stringContaining(`mock.json:${sentence}`)]);
    expect(err.match(/\n/g)).toHaveLength(1);
  });

  test.each<[string, () => void, string]>([
    ['is not there', () => rmSync(file, { force: true }), 'Cannot read mock.json: there is no such file.\n'],
    ['is a folder', () => mkdirSync(file), 'Cannot read mock.json: it is a folder.\n'],
    [
      'is UTF-16',
      () => writeFileSync(file, Buffer.from('\uFEFF{}', 'utf16le')),
      'mock.json is no UTF-8 text: save it as UTF-8.\n',
    ],
  ])('one that %s', async (_, make, sentence) => {
    rmSync(file, { force: true, recursive: true });
    make();
    const end = await runToEnd(['mock-provider', '--config', 'mock.json'], {}, folder);
    expect(end).toEqual({ code: 1, out: '', err: sentence });
    rmSync(file, { force: true, recursive: true });
  });
});
