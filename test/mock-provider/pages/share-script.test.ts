import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

describe('decision 101: the share button script', () => {
  test('is javascript with an ETag, for every site, and sets no cookie', async () => {
    const answer = await fetch(provider.shareScriptURL);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(answer.headers.getSetCookie()).toEqual([]);
    const again = await fetch(provider.shareScriptURL, {
      headers: { 'if-none-match': answer.headers.get('etag') ?? '' },
    });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('has an origin of its own where an option says so, and nothing else is there', async () => {
    const apart = await startMockProvider({ shareScriptPort: 0 });
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

  test('a port that is none stops the start with a sentence', async () => {
    await expect(startMockProvider({ shareScriptPort: 70_000 })).rejects.toThrow(
      'shareScriptPort must be a whole number from 0 to 65535, not 70000.',
    );
  });
});
