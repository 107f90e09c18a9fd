import { describe, expect, test } from '@jest/globals';
import { embed } from '../../lib/html/page.js';
import { ENGLISH } from '../../lib/html/texts.js';
import script from '../../lib/session-check/browser/session-check.js?text';
import {
  type SessionCheckPageOptions,
  sessionCheckFrame,
  sessionCheckPage,
} from '../../lib/session-check/session-check-page.js';
import { type FakeBrowser, type FakeFrame, type FakePage, fakeBrowser, SITE } from '../html/fake-browser.js';

const SERVICE = 'https://auth.service.example';
const OPTIONS: SessionCheckPageOptions = {
  checkSessionIframe: `${SERVICE}/oauth/session_state`,
  clientID: 'client-1',
  sessionState: 'ab+/=.c-_',
  texts: ENGLISH,
};

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
  test('has its parameters in data- attributes, and no script with an address', () => {
    const page = sessionCheckPage(OPTIONS).html;
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script>']);
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/);
    expect(datasetOf(page)).toEqual({
      clinicianSessionCheck: '',
      clientId: 'client-1',
      sessionState: 'ab+/=.c-_',
      frame: `${SERVICE}/oauth/session_state`,
    });
  });

  test.each<[string, Partial<SessionCheckPageOptions>]>([
    ['without a session_state', { sessionState: undefined }],
    ['with a javascript: frame', { checkSessionIframe: 'javascript:alert(1)' }],
    ['with a frame that is not an absolute URL', { checkSessionIframe: '/oauth/session_state' }],
    ['without a frame', { checkSessionIframe: '' }],
  ])('does not check %s', (_, more) => {
    const dataset = datasetOf(sessionCheckPage({ ...OPTIONS, ...more }).html);
    expect(dataset).toEqual({ clinicianSessionCheck: '' });
    const { frames } = fakeBrowser(script, { elements: { '[data-clinician-session-check]': { dataset } } });
    expect(frames).toMatchObject([{ src: 'about:blank', posted: [] }]);
  });

  test('has a policy: framed only by the site, frames only the service', () => {
    const policyFor = (checkSessionIframe: string) => sessionCheckPage({ ...OPTIONS, checkSessionIframe }).policy;
    expect(policyFor(OPTIONS.checkSessionIframe)).toBe(
      `default-src 'none'; script-src ${embed('script', script).source}; connect-src 'self'; frame-src ${SERVICE}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
    );
    expect(policyFor("x'; script-src *")).not.toContain('*');
    expect(policyFor('')).toContain("frame-src 'none';");
  });

  test('is loaded by a frame that users, screen readers and the keyboard skip', () => {
    const frame = sessionCheckFrame('/auth/session-check', { ...ENGLISH, sessionCheck: 'Sitzung' });
    expect(frame).toBe(
      '<iframe class="clinician-session-check" src="/auth/session-check" title="Sitzung" aria-hidden="true" tabindex="-1" hidden></iframe>',
    );
    expect(sessionCheckFrame('javascript:alert(1)', ENGLISH)).not.toContain('javascript');
  });
});

interface Watch extends FakeBrowser {
  frame: FakeFrame;
  /** The service's frame sends a message. */
  reply(data: unknown): void;
}

function watch(page: FakePage & { options?: Partial<SessionCheckPageOptions> } = {}): Watch {
  const dataset = datasetOf(sessionCheckPage({ ...OPTIONS, ...page.options }).html);
  const elements = { '[data-clinician-session-check]': { dataset } };
  const browser = fakeBrowser(script, { elements, path: '/auth/session-check', ...page });
  const [frame] = browser.frames as [FakeFrame];
  frame.load();
  browser.advance(0);
  return Object.assign(browser, {
    frame,
    reply: (data: unknown) => browser.message({ source: frame.contentWindow, origin: SERVICE, data }),
  });
}

describe('the session check', () => {
  test('posts client_id and session_state to the frame of the service, for its origin only', () => {
    const { frame } = watch();
    expect(frame).toMatchObject({ src: OPTIONS.checkSessionIframe, hidden: true, isAttached: true });
    expect(frame.posted).toEqual([{ message: 'client-1 ab+/=.c-_', target: SERVICE }]);
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
    expect(frame.src).toBe('about:blank');
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
    expect(frame.src).toBe('about:blank');
  });

  test('ignores messages of another window or another origin than the frame of the service', () => {
    const { frame, message, reply, advance, fetched } = watch();
    reply('unchanged');
    advance(30_000);
    message({ source: frame.contentWindow, origin: 'https://evil.example', data: 'changed' });
    message({ source: frame.contentWindow, origin: SITE, data: 'changed' });
    message({ source: frame.contentWindow, origin: `${SERVICE}.evil.example`, data: 'changed' });
    message({ source: {}, origin: SERVICE, data: 'changed' });
    message({ source: null, origin: SERVICE, data: 'changed' });
    expect(fetched).toEqual([]);
    reply('changed');
    expect(fetched).toHaveLength(1);
  });
});

describe('after the response changed', () => {
  /** A page whose first response was unchanged. */
  function unchanged(page: FakePage = {}): Watch {
    const watched = watch(page);
    watched.reply('unchanged');
    watched.advance(30_000);
    return watched;
  }

  test('the change is reported to the site once for each message, and no further frame is loaded', async () => {
    const { frames, frame, reply, advance, fetched, broadcasts, settled } = unchanged();
    for (let flood = 0; flood < 1_000; flood += 1) reply('changed');
    expect(fetched).toEqual(['POST /auth/session-check']);
    await settled();
    advance(29_999);
    reply('changed');
    expect(fetched).toHaveLength(1);
    advance(1);
    reply('changed');
    expect(fetched).toHaveLength(2);
    await settled();
    expect(broadcasts).toEqual(['session-changed /auth/session-check']);
    expect(frames).toEqual([frame]);
  });

  test('the check ends when the login here has ended, and continues when the site cannot be reached', async () => {
    for (const [response, posted] of [
      [{ event: 'signed-out' }, 2],
      [undefined, 3],
    ] as const) {
      const { frame, reply, advance, settled } = unchanged({ response });
      reply('changed');
      await settled();
      advance(30_000);
      expect(frame.posted).toHaveLength(posted);
    }
  });

  test.each([
    ['session-changed', { event: 'session-changed' }, ['session-changed']],
    ['signed-out', { event: 'signed-out' }, ['signed-out']],
    ['no event', {}, []],
    ['a problem document', { code: 'cross_site_request', status: 403 }, []],
    ['no response', undefined, []],
  ])('pages are notified of the event in the response: %s', async (_, response, expected) => {
    const { reply, broadcasts, settled } = unchanged({ response });
    reply('changed');
    expect(broadcasts).toEqual([]);
    await settled();
    expect(broadcasts).toEqual(expected.map((event) => `${event} /auth/session-check`));
  });

  const FIRST = `POST /auth/session-check?first=${encodeURIComponent('ab+/=.c-_')}`;

  test.each([
    ['starts a check, and continues', { event: 'session-changed' }, 2, ['session-changed /auth/session-check']],
    ['is not checked again, and the check ends', {}, 1, []],
  ])('that has never been unchanged, the report %s', async (_, response, posted, events) => {
    const { frame, reply, advance, fetched, broadcasts, settled } = watch({ response });
    reply('changed');
    await settled();
    advance(30_000);
    expect(fetched).toEqual([FIRST]);
    expect(broadcasts).toEqual(events);
    expect(frame.posted).toHaveLength(posted);
  });

  test('a browser that reported the same session_state as unchanged on an earlier page reports the change', () => {
    const storage = new Map<string, string>();
    watch({ storage }).reply('unchanged');
    const next = watch({ storage });
    next.reply('changed');
    expect(next.fetched).toEqual(['POST /auth/session-check']);
  });

  test('a change of another session_state than the unchanged one is reported with it: the page may be out of date', () => {
    const storage = new Map<string, string>();
    watch({ storage }).reply('unchanged');
    const renewed = watch({ storage, options: { sessionState: 'new+/=.salt' } });
    renewed.reply('changed');
    expect(renewed.fetched).toEqual([`POST /auth/session-check?first=${encodeURIComponent('new+/=.salt')}`]);
  });

  test('without localStorage only a change within one page is certain', () => {
    const { reply, fetched } = unchanged({ storageForbidden: true });
    reply('changed');
    expect(fetched).toEqual(['POST /auth/session-check']);
    const next = watch({ storageForbidden: true });
    next.reply('changed');
    expect(next.fetched).toEqual([FIRST]);
  });
});

describe('the page around the hidden frame', () => {
  const elements = { '[data-clinician-session-check]': { dataset: {} } };
  const inFrame = (page: FakePage = {}) => fakeBrowser(script, { elements, path: '/auth/session-check', ...page });

  test('is loaded again when the session has ended', () => {
    const { receive, navigations, dispatched } = inFrame();
    for (const message of [
      'signed-in',
      'signed-out',
      'signed-out /other/session-check',
      'x',
      null,
      { word: 'signed-out' },
    ])
      receive(message);
    expect([navigations, dispatched]).toEqual([[], []]);
    receive('signed-out /auth/session-check');
    expect([navigations, dispatched]).toEqual([['replace /around?a=1'], ['clinician:signed-out']]);
  });

  test('is not there in a window: the page loads nothing, for a signed-in user too', () => {
    const dataset = datasetOf(sessionCheckPage(OPTIONS).html);
    const browser = inFrame({ elements: { '[data-clinician-session-check]': { dataset } }, isTop: true });
    browser.receive('signed-out /auth/session-check');
    expect([browser.frames, browser.navigations, browser.dispatched]).toEqual([[], [], []]);
  });

  test('a browser without BroadcastChannel causes no error', () => {
    expect(() => inFrame({ noChannel: true })).not.toThrow();
  });

  test('gets clinician:session-changed after a change, and is not loaded again', () => {
    const { receive, advance, navigations, dispatched } = inFrame();
    receive('session-changed /auth/session-check');
    advance(600_000);
    expect([navigations, dispatched]).toEqual([[], ['clinician:session-changed']]);
  });
});
