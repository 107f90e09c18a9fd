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
});
