import { expect, test } from '@jest/globals';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { testUsers } from '../helpers/test-users.js';

test('every call with an unknown clinician rejects with the known names', async () => {
  const provider = await startMockProvider({ control: true });
  const message = `There is no clinician "veryfied". Did you mean verified? There are: ${testUsers}.`;
  const control = async (method: string, path: string, body: object): Promise<string> => {
    const headers = { 'content-type': 'application/json', host: new URL(provider.issuer).host };
    const url = `${provider.issuer}/_mock/${path}`;
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
    return ((await response.json()) as { message: string }).message;
  };
  try {
    const as = 'veryfied';
    const authorizeURL = `${provider.issuer}/oauth/authorize`;
    await expect(provider.signIn(authorizeURL, { as })).rejects.toThrow(expect.objectContaining({ message }));
    await expect(provider.signOut(authorizeURL, { as })).rejects.toThrow(expect.objectContaining({ message }));
    expect(() => provider.clinicians.get(as)).toThrow(expect.objectContaining({ message }));
    expect(() => provider.clinicians.update(as, {})).toThrow(expect.objectContaining({ message }));
    expect(await control('POST', 'sign-in', { authorizeURL, as })).toBe(message);
    expect(await control('PATCH', 'clinicians', { username: as })).toBe(message);
  } finally {
    await provider.stop();
  }
});
