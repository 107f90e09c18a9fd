import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import shareScript from '../../lib/html/browser/share.js?text';
import pageScript from '../../lib/popup/browser/popup-page.js?text';
import { popupClientScript, popupPage } from '../../lib/popup/popup.js';
import { LOOK } from '../html/every-page.js';
import { type FakePage, fakeBrowser as run, SITE } from '../html/fake-browser.js';

const fakeBrowser = (page?: FakePage) => run(popupClientScript, page);

const link = (href = `${SITE}/auth/login?returnTo=%2Fnotes%3Fa%3D1`) => ({
  ...{ dataset: {}, href },
  origin: URL.canParse(href) ? new URL(href).origin : '',
});

describe('a sign-in link with display popup', () => {
  test('opens a popup with an address bar and without window.opener', () => {
    const { click, opened } = fakeBrowser();
    expect(click(link())).toBe(true);
    expect(opened).toEqual([
      {
        address: `${SITE}/auth/login?returnTo=%2Fnotes%3Fa%3D1&display=popup`,
        features: 'popup,width=520,height=720',
        opener: null,
      },
    ]);
    expect(opened[0]?.features).not.toContain('location=');
  });

  test('goes to returnTo after the message signed-in on the channel, once', () => {
    const { click, receive, navigations } = fakeBrowser();
    receive('signed-in');
    click(link());
    for (const message of ['signed-out', 'x', null, { word: 'signed-in' }]) receive(message);
    expect(navigations).toEqual([]);
    receive('signed-in');
    expect(navigations).toEqual([`assign ${SITE}/notes?a=1`]);
    receive('signed-in');
    expect(navigations).toHaveLength(1);
  });

  test('reports the sign-in to the page, whose listener can prevent that it is loaded again', () => {
    for (const preventsDefault of [false, true]) {
      const { click, receive, dispatched, navigations } = fakeBrowser({ preventsDefault });
      click(link());
      receive('signed-out');
      expect(dispatched).toEqual([]);
      receive('signed-in');
      expect(dispatched).toEqual(['clinician:signed-in']);
      expect(navigations).toHaveLength(preventsDefault ? 0 : 1);
    }
  });

  test('goes to the path that the site has sent for returnTo, where a proxy strips its prefix', () => {
    const { click, receive, navigations } = fakeBrowser();
    for (const path of ['/app/notes?a=1', '/app/other', '//evil.example/x']) {
      click(link());
      receive(`signed-in ${path}`);
    }
    expect(navigations).toEqual([
      `assign ${SITE}/app/notes?a=1`,
      `assign ${SITE}/notes?a=1`,
      `assign ${SITE}/notes?a=1`,
    ]);
  });

  test.each(['', '?returnTo=%2F'])(
    'goes to the home page of a site below a path, for a link with the query "%s"',
    (query) => {
      const { click, receive, navigations } = fakeBrowser();
      for (const path of ['/app/', '/app/notes/', '//evil.example/']) {
        click(link(`${SITE}/app/auth/login${query}`));
        receive(`signed-in ${path}`);
      }
      expect(navigations).toEqual([`assign ${SITE}/app/`, `assign ${SITE}/`, `assign ${SITE}/`]);
    },
  );

  test('clicked after another one goes to the returnTo of the last one', () => {
    const { click, receive, navigations } = fakeBrowser();
    click(link());
    click(link(`${SITE}/auth/login?returnTo=%2Flast`));
    receive('signed-in');
    expect(navigations).toEqual([`assign ${SITE}/last`]);
  });

  test.each([
    ['the same page', '%2Fpage%3Fa%3D1', 'replace /page?a=1', '/page?a=1'],
    ['another page', '%2Fnotes%3Fb%23c', `assign ${SITE}/notes?b#c`, '/notes?b#c'],
    ['no path', '', `assign ${SITE}/`, '/'],
    ['another site', '%2F%2Fevil.example', 'replace /page?a=1', '/page?a=1'],
    ['a script', 'javascript%3Aalert(1)', 'replace /page?a=1', '/page?a=1'],
  ])('with returnTo %s goes to a page of this site', (_, returnTo, expected, path) => {
    const { click, receive, navigations, details } = fakeBrowser();
    click(link(`${SITE}/auth/login?returnTo=${returnTo}`));
    receive('signed-in');
    expect(navigations).toEqual([expected]);
    expect(details).toEqual([{ returnTo: path }]);
  });

  test.each<[string, object, object]>([
    ['where popups are blocked', { popupsBlocked: true }, {}],
    ['in a browser without BroadcastChannel', { noChannel: true }, {}],
    ['with the middle button', {}, { button: 1 }],
    ['with a key for a new tab', {}, { ctrlKey: true }],
    ['with a key for a new tab on a Mac', {}, { metaKey: true }],
    ['with a key for a new window', {}, { shiftKey: true }],
    ['when a script of the site prevented the default', {}, { defaultPrevented: true }],
  ])('remains a plain link %s', (_, page, how) => {
    const { click, opened } = fakeBrowser(page);
    expect(click(link(), how)).toBe(false);
    expect(opened).toEqual([]);
  });

  test.each(['https://elsewhere.example/', 'javascript:alert(1)', 'https://[', ''])(
    'to "%s" remains a plain link',
    (href) => {
      const { click, opened } = fakeBrowser();
      expect(click(link(href))).toBe(false);
      expect(opened).toEqual([]);
    },
  );

  test('a click outside such a link has no effect', () => {
    const { click, opened } = fakeBrowser();
    expect(click(undefined)).toBe(false);
    expect(opened).toEqual([]);
  });
});

describe('the last page of a popup', () => {
  const { html: page, policy } = popupPage(LOOK, '/notes');

  test('sends signed-in on the channel, then closes the popup', () => {
    const browser = run(pageScript, { elements: { '[data-clinician-popup]': { dataset: {} } } });
    expect(browser.broadcasts).toEqual(['signed-in']);
    browser.advance(1_000);
    expect(browser.closed).toBe(true);
  });

  test('has one script without an address, which its policy allows, and no other', () => {
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script>']);
    const hash = createHash('sha256').update(/<script>(.*)<\/script>/s.exec(page)?.[1] as string);
    expect(policy).toContain(`; script-src 'sha256-${hash.digest('base64')}';`);
    expect(page.replace(/<script>.*<\/script>/s, '')).not.toMatch(/<style|\sstyle=|\son\w+=/);
    expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
  });
});

describe('the client script', () => {
  const clientScript = popupClientScript + shareScript;

  test('does nothing without a click', () => {
    const browser = run(clientScript);
    browser.advance(600_000);
    const { frames, navigations, fetched, broadcasts, opened, dispatched, storage, closed } = browser;
    expect([...frames, ...navigations, ...fetched, ...broadcasts, ...opened, ...dispatched, ...storage]).toHaveLength(
      0,
    );
    expect(closed).toBe(false);
  });
});
