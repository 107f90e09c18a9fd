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

describe('the types that an editor completes', () => {
  test('fault names and aliases are a closed list of strings; clinician names are an open one', async () => {
    const output = await compile([
      program(
        'good',
        `const closed: string extends FaultName | FaultAlias ? false : true = true;
         provider.faults.next('badSignature');
         provider.faults.always('oidcc-client-test-invalid-iss', { client: 'app' });
         await provider.signIn('', { as: 'verified' });
         await provider.signIn('', { as: 'another-name' });
         console.log(closed, signIn);`,
      ),
      program('misspelled', "provider.faults.next('badSignatur');"),
      program('unknown-option', "provider.faults.next('badSignature', { endpoints: '/oauth/token' });"),
      program('missing-as', "await provider.signIn('', {});"),
    ]);
    expect(output).not.toContain('good.mts');
    expect(output).toMatch(/misspelled\.mts\(4,22\): error TS2345: .*"badSignatur"/);
    expect(output).toMatch(/unknown-option\.mts\(4,40\): error TS2561: .*'endpoint'/);
    expect(output).toMatch(/missing-as\.mts.*: error TS2741: Property 'as' is missing/);
  });
});

test('every call with an unknown clinician rejects with the known names', async () => {
  const provider = await startMockProvider({ control: true });
  const message =
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
    await expect(provider.signIn(authorizeURL, { as })).rejects.toThrow(message);
    await expect(provider.signOut(authorizeURL, { as })).rejects.toThrow(message);
    expect(() => provider.clinicians.get(as)).toThrow(message);
    expect(() => provider.clinicians.update(as, {})).toThrow(message);
    expect(await control('POST', 'sign-in', { authorizeURL, as })).toMatch(message);
    expect(await control('PATCH', 'clinicians', { username: as })).toMatch(message);
    expect(await control('POST', 'clinicians/end-sessions', { username: as })).toMatch(message);
  } finally {
    await provider.stop();
  }
});
