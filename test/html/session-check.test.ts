import { describe, expect, test } from '@jest/globals';
import {
  type SessionCheckPageOptions,
  sessionCheckFrame,
  sessionCheckPage,
  sessionCheckPolicy,
  silentCheckPage,
  silentCheckPolicy,
} from '../../lib/html/session-check-page.js';
import { type FakeBrowser, type FakeFrame, type FakePage, fakeBrowser, SITE } from './fake-browser.js';

const SERVICE = 'https://auth.service.example';
const OPTIONS: SessionCheckPageOptions = {
  script: '/auth/clinician.js',
  checkSessionIframe: `${SERVICE}/oauth/session_state`,
  clientID: 'client-1',
  sessionState: 'ab+/=.c-_',
  silentCheck: '/auth/login?prompt=none&returnTo=%2F',
  signOut: '/auth/logout',
};
const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`;

const UNESCAPED: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
/** The data- attributes of a page's only element, as a browser reads them. */
function datasetOf(page: string): Record<string, string> {
  const tag = /<div ([^>]*)>/.exec(page)?.[1] ?? '';
  return Object.fromEntries(
    [...tag.matchAll(/data-([a-z-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
      name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => UNESCAPED[entity] as string),
    ]),
  );
}

describe('the session-check page', () => {
  test('has its parameters in data- attributes, and one script from the site', () => {
    const page = sessionCheckPage(OPTIONS);
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="/auth/clinician.js" defer>']);
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/);
    expect(datasetOf(page)).toEqual({
      clinicianSessionCheck: '',
      clientId: 'client-1',
      sessionState: 'ab+/=.c-_',
      frame: `${SERVICE}/oauth/session_state`,
      silentCheck: '/auth/login?prompt=none&returnTo=%2F',
      signOut: '/auth/logout',
    });
  });

  test.each(['clientID', 'sessionState'] as const)('escapes a hostile %s in its attribute', (name) => {
    const page = sessionCheckPage({ ...OPTIONS, [name]: HOSTILE });
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(Object.values(datasetOf(page))).toContain(HOSTILE);
  });

  test.each<[string, Partial<SessionCheckPageOptions>]>([
    ['without a session_state', { sessionState: undefined }],
    ['with a javascript: frame', { checkSessionIframe: 'javascript:alert(1)' }],
    ['with a frame that is not an absolute URL', { checkSessionIframe: '/oauth/session_state' }],
    ['without a frame', { checkSessionIframe: '' }],
  ])('does not check %s', (_, more) => {
    const dataset = datasetOf(sessionCheckPage({ ...OPTIONS, ...more }));
    expect(dataset).toEqual({ clinicianSessionCheck: '' });
    const { frames } = fakeBrowser({ elements: { '[data-clinician-session-check]': { dataset } } });
    expect(frames).toEqual([]);
  });

  test('has a policy: framed only by the site, frames only the service and the site', () => {
    const policy = sessionCheckPolicy(OPTIONS.checkSessionIframe);
    expect(policy).toBe(
      `default-src 'none'; script-src 'self'; connect-src 'self'; frame-src 'self' ${SERVICE}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
    );
    expect(sessionCheckPolicy("x'; script-src *")).not.toContain('*');
    expect(silentCheckPolicy).toMatch(/default-src 'none'; script-src 'self';.*frame-ancestors 'self'$/);
  });

  test('is loaded by a frame that users, screen readers and the keyboard skip', () => {
    const frame = sessionCheckFrame({ src: '/auth/session-check' });
    expect(frame).toBe(
      '<iframe class="clinician-session-check" src="/auth/session-check" title="Session check" aria-hidden="true" tabindex="-1" hidden></iframe>',
    );
    expect(sessionCheckFrame({ src: 'javascript:alert(1)' })).not.toContain('javascript');
  });
});

interface Watch extends FakeBrowser {
  frame: FakeFrame;
  /** The service's frame sends a message. */
  reply(data: unknown): void;
  /** The silent check in progress reports its outcome. */
  silent(outcome: string, sessionState?: string): void;
}

function watch(page: FakePage & { options?: Partial<SessionCheckPageOptions> } = {}): Watch {
  const dataset = datasetOf(sessionCheckPage({ ...OPTIONS, ...page.options }));
  const browser = fakeBrowser({ elements: { '[data-clinician-session-check]': { dataset } }, ...page });
  const [frame] = browser.frames as [FakeFrame];
  frame.load();
  browser.advance(0);
  return Object.assign(browser, {
    frame,
    reply: (data: unknown) => browser.message({ source: frame.contentWindow, origin: SERVICE, data }),
    silent(outcome: string, sessionState?: string) {
      const source = browser.frames.at(-1)?.contentWindow;
      browser.message({ source, origin: SITE, data: { clinician: 'silent-check', outcome, sessionState } });
    },
  });
}

describe('the session check', () => {
  test('posts client_id and session_state to the frame of the service, for its origin only', () => {
    const { frame } = watch();
    expect(frame).toMatchObject({ src: OPTIONS.checkSessionIframe, hidden: true, isAttached: true });
    expect(frame.posted).toEqual([{ message: 'client-1 ab+/=.c-_', target: SERVICE }]);
  });

  test('posts nothing before the frame has loaded', () => {
    const dataset = datasetOf(sessionCheckPage(OPTIONS));
    const { frames, advance } = fakeBrowser({ elements: { '[data-clinician-session-check]': { dataset } } });
    advance(600_000);
    expect(frames[0]?.posted).toEqual([]);
  });

  test('posts again after 30 seconds while the response is unchanged', () => {
    const { frame, reply, advance } = watch();
    for (let count = 1; count < 10; count += 1) {
      reply('unchanged');
      advance(29_999);
      expect(frame.posted).toHaveLength(count);
      advance(1);
      expect(frame.posted).toHaveLength(count + 1);
    }
  });

  test.each([
    ['zero', 0, 30_000],
    ['one millisecond', 1, 2_000],
    ['negative', -5, 2_000],
    ['not a number', Number.NaN, 30_000],
    ['a minute', 60_000, 60_000],
  ])('with an interval of %s posts at most every two seconds', (_, interval, pace) => {
    const { frame, reply, advance } = watch({ options: { interval } });
    reply('unchanged');
    advance(pace - 1);
    expect(frame.posted).toHaveLength(1);
    advance(1);
    expect(frame.posted).toHaveLength(2);
  });

  test('pauses while the page is hidden, and continues two seconds after it is visible', () => {
    const { frame, reply, advance, hide } = watch();
    reply('unchanged');
    hide(true);
    advance(600_000);
    expect(frame.posted).toHaveLength(1);
    hide(false);
    advance(1_999);
    for (let flicker = 0; flicker < 50; flicker += 1) {
      hide(true);
      hide(false);
    }
    advance(1_999);
    expect(frame.posted).toHaveLength(1);
    advance(1);
    expect(frame.posted).toHaveLength(2);
  });

  test('accepts a response that is late because the page was hidden', () => {
    const { frame, reply, advance, hide } = watch();
    hide(true);
    advance(600_000);
    hide(false);
    advance(1_000);
    reply('unchanged');
    advance(2_000);
    expect(frame.posted).toHaveLength(2);
  });

  test.each<[string, unknown]>([
    ['error', 'error'],
    ['an unknown message', 'maybe'],
    ['an empty message', ''],
    ['an object', { toString: () => 'unchanged' }],
    ['null', null],
  ])('ends after %s, without another request', (_, answer) => {
    const { frame, frames, reply, advance, hide, fetched, broadcasts } = watch();
    reply(answer);
    expect(frame.isAttached).toBe(false);
    hide(true);
    hide(false);
    advance(600_000);
    expect(frame.posted).toHaveLength(1);
    expect(frames).toHaveLength(1);
    expect([...fetched, ...broadcasts]).toHaveLength(0);
  });

  test('ends when the frame does not respond', () => {
    const { frame, advance } = watch();
    advance(600_000);
    expect(frame.posted).toHaveLength(1);
    expect(frame.isAttached).toBe(false);
  });

  test('ignores messages of another window or another origin than the frame of the service', () => {
    const { frame, frames, message, reply } = watch();
    message({ source: frame.contentWindow, origin: 'https://evil.example', data: 'changed' });
    message({ source: frame.contentWindow, origin: SITE, data: 'changed' });
    message({ source: frame.contentWindow, origin: `${SERVICE}.evil.example`, data: 'changed' });
    message({ source: {}, origin: SERVICE, data: 'changed' });
    message({ source: null, origin: SERVICE, data: 'changed' });
    expect(frames).toHaveLength(1);
    reply('changed');
    expect(frames).toHaveLength(2);
  });

  test('accepts one response per message: a flood of changed starts one silent check', () => {
    const { frames, reply } = watch();
    for (let flood = 0; flood < 1_000; flood += 1) reply('changed');
    expect(frames).toHaveLength(2);
    reply('error');
    expect(frames[1]?.isAttached).toBe(true);
  });
});

describe('after the response changed', () => {
  test('a silent check starts in a hidden frame, and the user remains signed in meanwhile', () => {
    const { frames, reply, fetched, broadcasts, advance, frame } = watch();
    reply('changed');
    expect(frames[1]).toMatchObject({ src: OPTIONS.silentCheck, hidden: true, isAttached: true });
    expect([...fetched, ...broadcasts]).toHaveLength(0);
    advance(10_000);
    expect(frame.posted).toHaveLength(1);
  });

  test('with the same user still signed in, the check continues with the new session_state', () => {
    const { frames, frame, reply, silent, advance, broadcasts } = watch();
    reply('changed');
    silent('same', 'new+/=.salt');
    expect(frames[1]?.isAttached).toBe(false);
    advance(30_000);
    expect(frame.posted.at(-1)).toEqual({ message: 'client-1 new+/=.salt', target: SERVICE });
    reply('unchanged');
    advance(30_000);
    reply('changed');
    expect(frames).toHaveLength(3);
    expect(broadcasts).toEqual([]);
  });

  test('a second changed right after a silent check ends the check, without a loop', () => {
    const { frames, frame, reply, silent, advance, broadcasts, fetched } = watch();
    reply('changed');
    silent('same', 'new.salt');
    advance(30_000);
    reply('changed');
    advance(600_000);
    expect(frames).toHaveLength(2);
    expect(frame.posted).toHaveLength(2);
    expect([...fetched, ...broadcasts]).toHaveLength(0);
  });

  test('with no user signed in at the service, it signs out here, then notifies the pages', async () => {
    const { reply, advance, silent, fetched, broadcasts, settled } = watch();
    reply('unchanged');
    advance(30_000);
    reply('changed');
    silent('login_required');
    expect(fetched).toEqual(['POST /auth/logout']);
    expect(broadcasts).toEqual([]);
    await settled();
    expect(broadcasts).toEqual(['signed-out']);
  });

  test.each(['refused', 'offline'] as const)('a sign-out here that is %s notifies no page', async (signOut) => {
    const { reply, advance, silent, broadcasts, settled } = watch({ signOut });
    reply('unchanged');
    advance(30_000);
    reply('changed');
    silent('login_required');
    await settled();
    expect(broadcasts).toEqual([]);
  });

  test('in a browser that blocks cookies in frames the user remains signed in, and the check ends', async () => {
    const { frames, frame, reply, silent, advance, fetched, broadcasts, settled } = watch();
    reply('changed');
    silent('login_required');
    advance(600_000);
    await settled();
    expect([...fetched, ...broadcasts]).toHaveLength(0);
    expect(frames).toHaveLength(2);
    expect(frame.isAttached).toBe(false);
  });

  test('a browser that reported unchanged on an earlier page signs out, once', async () => {
    const storage = new Map<string, string>();
    watch({ storage }).reply('unchanged');
    const signedOut = watch({ storage });
    signedOut.reply('changed');
    signedOut.silent('login_required');
    expect(signedOut.fetched).toEqual(['POST /auth/logout']);
    const after = watch({ storage });
    after.reply('changed');
    after.silent('login_required');
    expect(after.fetched).toEqual([]);
  });

  test('without localStorage it works within one page', async () => {
    const { reply, advance, silent, fetched } = watch({ storageForbidden: true });
    reply('unchanged');
    advance(30_000);
    reply('changed');
    silent('login_required');
    expect(fetched).toEqual(['POST /auth/logout']);
  });

  test('with another user signed in, the session here has ended, and the pages are notified', () => {
    const { reply, silent, fetched, broadcasts, advance, frame } = watch();
    reply('changed');
    silent('ended');
    expect(fetched).toEqual([]);
    expect(broadcasts).toEqual(['signed-out']);
    advance(600_000);
    expect(frame.posted).toHaveLength(1);
  });

  test.each([
    ['error', 'x.y'],
    ['consent_required', undefined],
    ['same', undefined],
    ['', undefined],
  ])(
    'with the outcome "%s" (session_state %p) the check ends, and the user remains signed in',
    async (outcome, state) => {
      const { frames, frame, reply, silent, advance, fetched, broadcasts } = watch();
      reply('unchanged');
      advance(30_000);
      reply('changed');
      silent(outcome, state);
      expect(frame.isAttached).toBe(false);
      advance(600_000);
      expect(frames).toHaveLength(2);
      expect([...fetched, ...broadcasts]).toHaveLength(0);
    },
  );

  test('without an outcome the check ends after twenty seconds', () => {
    const { frames, reply, advance, silent, broadcasts } = watch();
    reply('changed');
    advance(19_999);
    expect(frames[1]?.isAttached).toBe(true);
    advance(1);
    expect(frames.map(({ isAttached }) => isAttached)).toEqual([false, false]);
    silent('ended');
    expect(broadcasts).toEqual([]);
  });

  test('an outcome is accepted only from the frame of the silent check, on this origin', () => {
    const { frames, frame, reply, message, broadcasts } = watch();
    reply('changed');
    const data = { clinician: 'silent-check', outcome: 'ended' };
    message({ source: frames[1]?.contentWindow, origin: SERVICE, data });
    message({ source: frame.contentWindow, origin: SITE, data });
    message({ source: {}, origin: SITE, data });
    for (const value of [null, undefined, 'ended', 7, {}]) {
      message({ source: frames[1]?.contentWindow, origin: SITE, data: value });
    }
    expect(broadcasts).toEqual([]);
    expect(frames[1]?.isAttached).toBe(true);
  });
});

describe('the last page of a silent check', () => {
  const end = (page: string, top = false) =>
    fakeBrowser({ elements: { '[data-clinician-outcome]': { dataset: datasetOf(page) } }, top });

  test('reports the outcome to its parent page, on this origin only', () => {
    const page = silentCheckPage({ script: '/auth/clinician.js', outcome: 'same', sessionState: 'a+/=.b' });
    expect(end(page).parentMessages).toEqual([
      { message: { clinician: 'silent-check', outcome: 'same', sessionState: 'a+/=.b' }, target: SITE },
    ]);
    expect(end(page, true).parentMessages).toEqual([]);
  });

  test('has no inline script, and escapes a hostile session_state', () => {
    const page = silentCheckPage({ script: '/auth/clinician.js', outcome: 'same', sessionState: HOSTILE });
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="/auth/clinician.js" defer>']);
    expect(datasetOf(page).sessionState).toBe(HOSTILE);
  });
});

describe('a page of the site with the hidden frame', () => {
  const withFrame = { 'iframe.clinician-session-check': { dataset: {} } };

  test('is loaded again when the session has ended', () => {
    const { receive, navigations } = fakeBrowser({ elements: withFrame, path: '/notes?a=1#b' });
    for (const message of ['signed-in', 'x', null, { word: 'signed-out' }]) receive(message);
    expect(navigations).toEqual([]);
    receive('signed-out');
    expect(navigations).toEqual(['replace /notes?a=1']);
  });

  test('is not loaded again if a listener prevents the default of clinician:signed-out', () => {
    const { receive, navigations } = fakeBrowser({ elements: withFrame, preventsReload: true });
    receive('signed-out');
    expect(navigations).toEqual([]);
  });

  test('a page without the frame ignores the message', () => {
    const { receive, navigations } = fakeBrowser();
    receive('signed-out');
    expect(navigations).toEqual([]);
  });

  test('a browser without BroadcastChannel causes no error', () => {
    expect(() => fakeBrowser({ elements: withFrame, noChannel: true })).not.toThrow();
  });
});
