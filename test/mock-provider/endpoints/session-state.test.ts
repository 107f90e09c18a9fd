import { describe, expect, test } from '@jest/globals';
import { provider } from '../../helpers/provider.js';
import { formOf, Visitor } from '../visitor.js';

async function signedIn(): Promise<Visitor> {
  const visitor = new Visitor(provider);
  const { action, hidden } = formOf(await visitor.get('/oauth/sign-in'));
  await visitor.post(action, { ...hidden, username: 'verified', password: 'clinician' });
  return visitor;
}

describe('the session check page', () => {
  test('may be framed by any site, runs only its script, and is the same for every browser', async () => {
    const response = await fetch(`${provider.issuer}/oauth/session_state`);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(response.status).toBe(200);
    expect(response.headers.get('x-frame-options')).toBeNull();
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]{43}='; .*frame-ancestors \*$/);
    const text = await response.text();
    expect(text.match(/<script\b/g)).toHaveLength(1);
    expect(text).toBe((await (await signedIn()).get('/oauth/session_state')).text);
    const again = await fetch(`${provider.issuer}/oauth/session_state`, {
      headers: { 'if-none-match': response.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  test.each<[string, () => unknown]>([
    ['endSessions()', () => provider.endSessions('verified')],
    ['its lifetime', () => provider.clock.advance('9 hours')],
    ['reset()', () => provider.reset()],
  ])('replies changed from the next response after the session was ended by %s', async (_cause, end) => {
    const visitor = await signedIn();
    const stateOf = () => [...visitor.cookies].find(([name]) => name.endsWith('browser_state'))?.[1].value;
    const before = stateOf();
    const etag = (await visitor.get('/oauth/session_state')).headers.get('etag') ?? '';
    expect(stateOf()).toBe(before);
    end();
    const { status, headers } = await visitor.get('/oauth/session_state', { 'if-none-match': etag });
    expect([status, headers.get('cache-control'), headers.getSetCookie().length]).toEqual([304, 'no-store', 2]);
    const after = stateOf();
    expect([typeof after, after === before]).toEqual(['string', false]);
    expect((await visitor.get('/oauth/session_state')).headers.getSetCookie()).toEqual([]);
  });

  test('reads only the browser state cookie, which changes with every login', async () => {
    const visitor = new Visitor(provider);
    const { action, hidden } = formOf(await visitor.get('/oauth/sign-in'));
    const done = await visitor.post(action, { ...hidden, username: 'verified', password: 'clinician' });
    const readable = done.headers.getSetCookie().filter((line) => !line.includes('HttpOnly'));
    expect(readable).toEqual([expect.stringMatching(/browser_state=[\w-]{32}; Path=\/oauth; SameSite=Lax$/)]);
    const before = readable[0];
    const other = await signedIn();
    expect([...other.cookies.values()].map(({ value }) => value)).not.toContain(/=([^;]*)/.exec(before ?? '')?.[1]);
  });
});
