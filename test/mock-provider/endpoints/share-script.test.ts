import { describe, expect, test } from '@jest/globals';
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
});
