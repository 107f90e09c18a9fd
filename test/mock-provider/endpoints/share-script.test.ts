import { describe, expect, test } from '@jest/globals';
import { startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { freePort } from '../../helpers/free-port.js';
import { provider } from '../../helpers/provider.js';

describe('the share button script', () => {
  test('is JavaScript with an ETag for any site and sets no cookie', async () => {
    const response = await fetch(provider.shareScriptURL);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(response.headers.getSetCookie()).toEqual([]);
    const again = await fetch(provider.shareScriptURL, {
      headers: { 'if-none-match': response.headers.get('etag') ?? '' },
    });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('is the only file at the origin of shareScriptPort', async () => {
    const apart = await startMockProvider({ shareScriptPort: await freePort() });
    try {
      const { origin } = new URL(apart.shareScriptURL);
      expect(origin).not.toBe(apart.issuer);
      expect((await fetch(apart.shareScriptURL)).status).toBe(200);
      expect((await fetch(`${origin}/oauth/authorize`)).status).toBe(404);
    } finally {
      await apart.stop();
    }
    await expect(fetch(apart.shareScriptURL)).rejects.toThrow();
  });

  test('an invalid shareScriptPort fails the start with the fix', async () => {
    await expect(startMockProvider({ shareScriptPort: 70_000 })).rejects.toThrow(
      'shareScriptPort must be a whole number from 0 to 65535, not 70000.',
    );
  });
});
