import { describe, expect, test } from '@jest/globals';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { compile } from '../architecture/compile.js';

const head = `import { type FaultAlias, type FaultName, startMockProvider } from 'passport-clinician/mock-provider';
import { signIn } from 'passport-clinician/testing';
const provider = await startMockProvider();
`;
const program = (name: string, code: string): { name: string; code: string } => ({
  name: `${name}.mts`,
  code: head + code,
});

describe('what an editor completes', () => {
  test("the names of faults and their aliases are a closed list of texts, a clinician's name an open one", async () => {
    const said = await compile([
      program(
        'good',
        `const closed: string extends FaultName | FaultAlias ? false : true = true;
         provider.faults.next('badSignature');
         provider.faults.always('oidcc-client-test-invalid-iss', { client: 'app' });
         await provider.signIn('', { as: 'verified' });
         await provider.signIn('', { as: 'one-of-my-own' });
         console.log(closed, signIn);`,
      ),
      program('misspelled', "provider.faults.next('badSignatur');"),
      program('unknown-option', "provider.faults.next('badSignature', { endpoints: '/oauth/token' });"),
      program('nobody', "await provider.signIn('', {});"),
    ]);
    expect(said).not.toContain('good.mts');
    expect(said).toMatch(/misspelled\.mts\(4,22\): error TS2345: .*"badSignatur"/);
    expect(said).toMatch(/unknown-option\.mts\(4,40\): error TS2561: .*'endpoint'/);
    expect(said).toMatch(/nobody\.mts.*: error TS2741: Property 'as' is missing/);
  });
});

test('whoever names a clinician that there is not is told who there is, wherever they do', async () => {
  const provider = await startMockProvider({ control: true });
  const sentence =
    /^There is no clinician "veryfied"\. Did you mean verified\? There are: verified, pending, .*hostile\.$/;
  const control = async (method: string, path: string, body: object): Promise<string> => {
    const headers = { 'content-type': 'application/json', host: new URL(provider.issuer).host };
    const url = `${provider.issuer}/_mock/${path}`;
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
    return ((await response.json()) as { message: string }).message;
  };
  try {
    const as = 'veryfied';
    const authorizeURL = `${provider.issuer}/oauth/authorize`;
    await expect(provider.signIn(authorizeURL, { as })).rejects.toThrow(sentence);
    await expect(provider.signOut(authorizeURL, { as })).rejects.toThrow(sentence);
    expect(() => provider.clinicians.get(as)).toThrow(sentence);
    expect(() => provider.clinicians.update(as, {})).toThrow(sentence);
    expect(await control('POST', 'sign-in', { authorizeURL, as })).toMatch(sentence);
    expect(await control('PATCH', 'clinicians', { username: as })).toMatch(sentence);
    expect(await control('POST', 'clinicians/sign-out', { username: as })).toMatch(sentence);
  } finally {
    await provider.stop();
  }
});
