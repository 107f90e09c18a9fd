import { expect, test } from '@jest/globals';
import { startMockProvider } from 'passport-clinician/mock-provider';

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
