import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { root } from '../../architecture/imports.js';

const { outputFiles } = buildSync({
  entryPoints: [join(root, 'lib/mock-provider/inspector/browser/snippets.js')],
  bundle: true,
  write: false,
  format: 'iife',
  globalName: 'snippets',
});
const { snippet } = runInNewContext(`${outputFiles[0]?.text}; snippets`, { URL }) as {
  snippet(name: string, client: object, addresses: { issuer: string; apiURL: string }): string;
};
const ISSUER = 'http://127.0.0.1:4400';
const read = (name: string) => readFileSync(join(root, 'test/examples/other-languages', name), 'utf8');

/** Returns the lines of a program, also those that a configuration shows in a comment. */
const linesOf = (code: string) => code.split('\n').map((line) => line.trim().replace(/^(#|\/\/) */, ''));

test.each([
  ['Authlib', ['clinician_site.py']],
  ['Spring', ['application.yml', 'Site.java']],
  ['Go', ['main.go']],
])('the configuration for %s is part of a program of docs/test/other-languages.md', (name, files) => {
  const client = {
    clientID: 'default-openid',
    publishedSecret: 'default-openid-client-secret',
    flow: 'openid',
    scope: ['openid', 'basic'],
    redirectURIs: [],
    takesAnyLoopbackURI: true,
    requiresPKCE: true,
  };
  const program = linesOf(files.map(read).join('\n'));
  const heading = /^(In the|Java, for) .*:$/;
  const lines = linesOf(snippet(name, client, { issuer: ISSUER, apiURL: ISSUER })).filter(
    (line) => !heading.test(line),
  );
  expect(lines.filter((line) => !program.includes(line))).toEqual([]);
});

test.each(['clinician_site.py', 'application.yml', 'main.go', 'Program.cs'])(
  'the settings of %s are those of a client of the mock provider',
  async (file) => {
    await using provider = await startMockProvider();
    const { clientID, clientSecret } = provider.clients.openid;
    const program = read(file);
    for (const text of [`"${ISSUER}`, `"${clientID}"`, `"${clientSecret}"`]) expect(program).toContain(text);
  },
);

test('docs/test/other-languages.md says what the metadata says', async () => {
  await using provider = await startMockProvider();
  const metadata = await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json();
  expect(metadata).toMatchObject({
    scopes_supported: expect.arrayContaining(['openid', 'basic']),
    response_modes_supported: ['query', 'fragment'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
  });
});
