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
/** The data- attributes of a page's one element, as a browser reads them. */
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
  test('carries what it knows in data- attributes, and one script from the site itself (attack 160, 167)', () => {
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

  test.each(['clientID', 'sessionState'] as const)('keeps a hostile %s in its attribute (attack 160, 234)', (name) => {
    const page = sessionCheckPage({ ...OPTIONS, [name]: HOSTILE });
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(Object.values(datasetOf(page))).toContain(HOSTILE);
  });

  test.each<[string, Partial<SessionCheckPageOptions>]>([
    ['without a session_state', { sessionState: undefined }],
    ['with a frame that is a script', { checkSessionIframe: 'javascript:alert(1)' }],
    ['with a frame that is no whole address', { checkSessionIframe: '/oauth/session_state' }],
    ['without a frame', { checkSessionIframe: '' }],
  ])('is idle %s (attack 236)', (_, more) => {
    const dataset = datasetOf(sessionCheckPage({ ...OPTIONS, ...more }));
    expect(dataset).toEqual({ clinicianSessionCheck: '' });
    const { frames } = fakeBrowser({ elements: { '[data-clinician-session-check]': { dataset } } });
    expect(frames).toEqual([]);
  });

  test('may be framed by the site alone, and frames the service and the site alone (attack 234)', () => {
    const policy = sessionCheckPolicy(OPTIONS.checkSessionIframe);
    expect(policy).toBe(
      `default-src 'none'; script-src 'self'; connect-src 'self'; frame-src 'self' ${SERVICE}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
    );
    expect(sessionCheckPolicy("x'; script-src *")).not.toContain('*');
    expect(silentCheckPolicy).toMatch(/default-src 'none'; script-src 'self';.*frame-ancestors 'self'$/);
  });

  test('is put into a page by a frame that nobody meets', () => {
    const frame = sessionCheckFrame({ src: '/auth/session-check' });
    expect(frame).toBe(
      '<iframe class="clinician-session-check" src="/auth/session-check" title="Session check" aria-hidden="true" tabindex="-1" hidden></iframe>',
    );
    expect(sessionCheckFrame({ src: 'javascript:alert(1)' })).not.toContain('javascript');
  });
});

interface Watch extends FakeBrowser {
  frame: FakeFrame;
  /** The service's frame answers. */
  reply(data: unknown): void;
  /** The silent check that is under way ends on its page. */
  silent(outcome: string, sessionState?: string): void;
}

function watch(page: FakePage & { options?: Partial<SessionCheckPageOptions> } = {}): Watch {
  const dataset = datasetOf(sessionCheckPage({ ...OPTIONS, ...page.options }));
  const browser = fakeBrowser({ elements: { '[data-clinician-session-check]': { dataset } }, ...page });
  const [frame] = browser.frames as [FakeFrame];
  frame.load();
  browser.pass(0);
  return Object.assign(browser, {
    frame,
    reply: (data: unknown) => browser.message({ source: frame.contentWindow, origin: SERVICE, data }),
    silent(outcome: string, sessionState?: string) {
      const source = browser.frames.at(-1)?.contentWindow;
      browser.message({ source, origin: SITE, data: { clinician: 'silent-check', outcome, sessionState } });
    },
  });
}

describe('watching', () => {
  test('asks the frame of the service, in the words of the spec, and no other origin (attack 104)', () => {
    const { frame } = watch();
    expect(frame).toMatchObject({ src: OPTIONS.checkSessionIframe, hidden: true, there: true });
    expect(frame.posted).toEqual([{ message: 'client-1 ab+/=.c-_', target: SERVICE }]);
  });

  test('asks nothing before the frame has loaded', () => {
    const dataset = datasetOf(sessionCheckPage(OPTIONS));
    const { frames, pass } = fakeBrowser({ elements: { '[data-clinician-session-check]': { dataset } } });
    pass(600_000);
    expect(frames[0]?.posted).toEqual([]);
  });

  test('asks again every 30 seconds or so, as long as nothing has changed (attack 42)', () => {
    const { frame, reply, pass } = watch();
    for (let count = 1; count < 10; count += 1) {
      reply('unchanged');
      pass(29_999);
      expect(frame.posted).toHaveLength(count);
      pass(1);
      expect(frame.posted).toHaveLength(count + 1);
    }
  });

  test.each([
    ['zero', 0, 30_000],
    ['one millisecond', 1, 2_000],
    ['negative', -5, 2_000],
    ['no number', Number.NaN, 30_000],
    ['a minute', 60_000, 60_000],
  ])('at an interval of %s never asks more often than every two seconds (attack 235)', (_, interval, pace) => {
    const { frame, reply, pass } = watch({ options: { interval } });
    reply('unchanged');
    pass(pace - 1);
    expect(frame.posted).toHaveLength(1);
    pass(1);
    expect(frame.posted).toHaveLength(2);
  });

  test('pauses while the page is not seen, and begins again no sooner than two seconds after (attack 235)', () => {
    const { frame, reply, pass, hide } = watch();
    reply('unchanged');
    hide(true);
    pass(600_000);
    expect(frame.posted).toHaveLength(1);
    hide(false);
    pass(1_999);
    for (let flicker = 0; flicker < 50; flicker += 1) {
      hide(true);
      hide(false);
    }
    pass(1_999);
    expect(frame.posted).toHaveLength(1);
    pass(1);
    expect(frame.posted).toHaveLength(2);
  });

  test('takes an answer that came late because the page was not seen', () => {
    const { frame, reply, pass, hide } = watch();
    hide(true);
    pass(600_000);
    hide(false);
    pass(1_000);
    reply('unchanged');
    pass(2_000);
    expect(frame.posted).toHaveLength(2);
  });

  test.each<[string, unknown]>([
    ['error', 'error'],
    ['a word that nobody knows', 'maybe'],
    ['nothing', ''],
    ['no text', { toString: () => 'unchanged' }],
    ['null', null],
  ])('ends at "%s", and asks nobody for anything (attack 231, 232)', (_, answer) => {
    const { frame, frames, reply, pass, hide, fetched, said } = watch();
    reply(answer);
    expect(frame.there).toBe(false);
    hide(true);
    hide(false);
    pass(600_000);
    expect(frame.posted).toHaveLength(1);
    expect(frames).toHaveLength(1);
    expect([...fetched, ...said]).toHaveLength(0);
  });

  test('ends when there is no answer', () => {
    const { frame, pass } = watch();
    pass(600_000);
    expect(frame.posted).toHaveLength(1);
    expect(frame.there).toBe(false);
  });

  test('hears nobody but the frame of the service (attack 104, 233)', () => {
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

  test('takes one answer for each question: a flood makes one silent check (attack 233)', () => {
    const { frames, reply } = watch();
    for (let flood = 0; flood < 1_000; flood += 1) reply('changed');
    expect(frames).toHaveLength(2);
    reply('error');
    expect(frames[1]?.there).toBe(true);
  });
});

describe('"changed"', () => {
  test('is looked into by a silent check in a hidden frame, before anybody is signed out (attack 230)', () => {
    const { frames, reply, fetched, said, pass, frame } = watch();
    reply('changed');
    expect(frames[1]).toMatchObject({ src: OPTIONS.silentCheck, hidden: true, there: true });
    expect([...fetched, ...said]).toHaveLength(0);
    pass(10_000);
    expect(frame.posted).toHaveLength(1);
  });

  test('with the same person still signed in: goes on with the new session_state', () => {
    const { frames, frame, reply, silent, pass, said } = watch();
    reply('changed');
    silent('same', 'new+/=.salt');
    expect(frames[1]?.there).toBe(false);
    pass(30_000);
    expect(frame.posted.at(-1)).toEqual({ message: 'client-1 new+/=.salt', target: SERVICE });
    reply('unchanged');
    pass(30_000);
    reply('changed');
    expect(frames).toHaveLength(3);
    expect(said).toEqual([]);
  });

  test('again, right after a silent check that found nothing: ends, and does not loop (attack 230)', () => {
    const { frames, frame, reply, silent, pass, said, fetched } = watch();
    reply('changed');
    silent('same', 'new.salt');
    pass(30_000);
    reply('changed');
    pass(600_000);
    expect(frames).toHaveLength(2);
    expect(frame.posted).toHaveLength(2);
    expect([...fetched, ...said]).toHaveLength(0);
  });

  test('and nobody is signed in at the service: the session here is ended, then the pages are told', async () => {
    const { reply, pass, silent, fetched, said, settled } = watch();
    reply('unchanged');
    pass(30_000);
    reply('changed');
    silent('login_required');
    expect(fetched).toEqual(['POST /auth/logout']);
    expect(said).toEqual([]);
    await settled();
    expect(said).toEqual(['signed-out']);
  });

  test.each(['refused', 'offline'] as const)(
    'and signing out here is %s: nobody is told that it was done',
    async (signOut) => {
      const { reply, pass, silent, said, settled } = watch({ signOut });
      reply('unchanged');
      pass(30_000);
      reply('changed');
      silent('login_required');
      await settled();
      expect(said).toEqual([]);
    },
  );

  test('in a browser that keeps cookies from frames signs nobody out, and asks no more (attack 230)', async () => {
    const { frames, frame, reply, silent, pass, fetched, said, settled } = watch();
    reply('changed');
    silent('login_required');
    pass(600_000);
    await settled();
    expect([...fetched, ...said]).toHaveLength(0);
    expect(frames).toHaveLength(2);
    expect(frame.there).toBe(false);
  });

  test('in a browser that let "unchanged" through on an earlier page is believed, once', async () => {
    const storage = new Map<string, string>();
    watch({ storage }).reply('unchanged');
    const believed = watch({ storage });
    believed.reply('changed');
    believed.silent('login_required');
    expect(believed.fetched).toEqual(['POST /auth/logout']);
    const after = watch({ storage });
    after.reply('changed');
    after.silent('login_required');
    expect(after.fetched).toEqual([]);
  });

  test('works on one page where nothing may be stored', async () => {
    const { reply, pass, silent, fetched } = watch({ storageForbidden: true });
    reply('unchanged');
    pass(30_000);
    reply('changed');
    silent('login_required');
    expect(fetched).toEqual(['POST /auth/logout']);
  });

  test('and another person is signed in: the session has been ended already, and the pages are told', () => {
    const { reply, silent, fetched, said, pass, frame } = watch();
    reply('changed');
    silent('ended');
    expect(fetched).toEqual([]);
    expect(said).toEqual(['signed-out']);
    pass(600_000);
    expect(frame.posted).toHaveLength(1);
  });

  test.each([
    ['error', 'x.y'],
    ['consent_required', undefined],
    ['same', undefined],
    ['', undefined],
  ])('whose silent check ends with "%s" (state %p): ends, and nobody is signed out', async (outcome, state) => {
    const { frames, frame, reply, silent, pass, fetched, said } = watch();
    reply('unchanged');
    pass(30_000);
    reply('changed');
    silent(outcome, state);
    expect(frame.there).toBe(false);
    pass(600_000);
    expect(frames).toHaveLength(2);
    expect([...fetched, ...said]).toHaveLength(0);
  });

  test('whose silent check does not come back: ends after twenty seconds', () => {
    const { frames, reply, pass, silent, said } = watch();
    reply('changed');
    pass(19_999);
    expect(frames[1]?.there).toBe(true);
    pass(1);
    expect(frames.map(({ there }) => there)).toEqual([false, false]);
    silent('ended');
    expect(said).toEqual([]);
  });

  test('is told what came of it by its own frame alone (attack 233)', () => {
    const { frames, frame, reply, message, said } = watch();
    reply('changed');
    const data = { clinician: 'silent-check', outcome: 'ended' };
    message({ source: frames[1]?.contentWindow, origin: SERVICE, data });
    message({ source: frame.contentWindow, origin: SITE, data });
    message({ source: {}, origin: SITE, data });
    for (const junk of [null, undefined, 'ended', 7, {}]) {
      message({ source: frames[1]?.contentWindow, origin: SITE, data: junk });
    }
    expect(said).toEqual([]);
    expect(frames[1]?.there).toBe(true);
  });
});

describe('the page where a silent check ends', () => {
  const end = (page: string, top = false) =>
    fakeBrowser({ elements: { '[data-clinician-outcome]': { dataset: datasetOf(page) } }, top });

  test('tells the page around it, on this origin, and nobody else', () => {
    const page = silentCheckPage({ script: '/auth/clinician.js', outcome: 'same', sessionState: 'a+/=.b' });
    expect(end(page).told).toEqual([
      { message: { clinician: 'silent-check', outcome: 'same', sessionState: 'a+/=.b' }, target: SITE },
    ]);
    expect(end(page, true).told).toEqual([]);
  });

  test('has no inline script, and keeps a hostile session_state in its attribute (attack 234)', () => {
    const page = silentCheckPage({ script: '/auth/clinician.js', outcome: 'same', sessionState: HOSTILE });
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="/auth/clinician.js" defer>']);
    expect(datasetOf(page).sessionState).toBe(HOSTILE);
  });
});

describe('a page of the site', () => {
  const watched = { 'iframe.clinician-session-check': { dataset: {} } };

  test('that is watched is loaded anew when the session has ended', () => {
    const { say, went } = fakeBrowser({ elements: watched, path: '/notes?a=1#b' });
    for (const word of ['signed-in', 'x', null, { word: 'signed-out' }]) say(word);
    expect(went).toEqual([]);
    say('signed-out');
    expect(went).toEqual(['replace /notes?a=1']);
  });

  test('may do something else instead', () => {
    const { say, went } = fakeBrowser({ elements: watched, prevents: true });
    say('signed-out');
    expect(went).toEqual([]);
  });

  test('that is not watched stays as it is', () => {
    const { say, went } = fakeBrowser();
    say('signed-out');
    expect(went).toEqual([]);
  });

  test('in a browser without channels loses nothing else', () => {
    expect(() => fakeBrowser({ elements: watched, noChannel: true })).not.toThrow();
  });
});
