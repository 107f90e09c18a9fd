import { describe, expect, test } from '@jest/globals';
import clientScript from '../../lib/html/browser/client.js?text';
import { popupPage, popupPolicy } from '../../lib/html/popup-page.js';
import { fakeBrowser, SITE } from './fake-browser.js';

const link = (href = `${SITE}/auth/login?returnTo=%2Fnotes%3Fa%3D1`) => ({ dataset: {}, href });

describe('a link that asks for a window of its own', () => {
  test('opens one with a visible address, that cannot reach the page that opened it', () => {
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

  test('leads on when somebody has signed in in it, and only then', () => {
    const { click, say, went } = fakeBrowser();
    say('signed-in');
    click(link());
    for (const word of ['signed-out', 'x', null, { word: 'signed-in' }]) say(word);
    expect(went).toEqual([]);
    say('signed-in');
    expect(went).toEqual([`assign ${SITE}/notes?a=1`]);
    say('signed-in');
    expect(went).toHaveLength(1);
  });

  test('pressed after another leads on where the last one would', () => {
    const { click, say, went } = fakeBrowser();
    click(link());
    click(link(`${SITE}/auth/login?returnTo=%2Flast`));
    say('signed-in');
    expect(went).toEqual([`assign ${SITE}/last`]);
  });

  test.each([
    ['this very page', '%2Fpage%3Fa%3D1', 'replace /page?a=1'],
    ['nowhere', '', `assign ${SITE}/`],
    ['another site', '%2F%2Fevil.example', 'replace /page?a=1'],
    ['a script', 'javascript%3Aalert(1)', 'replace /page?a=1'],
  ])('that comes back to %s', (_, returnTo, expected) => {
    const { click, say, went } = fakeBrowser();
    click(link(`${SITE}/auth/login?returnTo=${returnTo}`));
    say('signed-in');
    expect(went).toEqual([expected]);
  });

  test.each<[string, object, object]>([
    ['where windows are blocked', { popupsBlocked: true }, {}],
    ['in a browser without channels', { noChannel: true }, {}],
    ['with the middle button', {}, { button: 1 }],
    ['with a key for a new tab', {}, { ctrlKey: true }],
    ['with a key for a new tab on a Mac', {}, { metaKey: true }],
    ['with a key for a new window', {}, { shiftKey: true }],
    ['that a script of the site has taken care of', {}, { defaultPrevented: true }],
  ])('stays a link %s', (_, page, how) => {
    const { click, opened } = fakeBrowser(page);
    expect(click(link(), how)).toBe(false);
    expect(opened).toEqual([]);
  });

  test('to elsewhere stays a link', () => {
    const { click, opened } = fakeBrowser();
    expect(click(link('https://elsewhere.example/'))).toBe(false);
    expect(opened).toEqual([]);
  });

  test('other clicks are none of our business', () => {
    const { click, opened } = fakeBrowser();
    expect(click(undefined)).toBe(false);
    expect(opened).toEqual([]);
  });
});

describe('the page where it ends', () => {
  const page = popupPage({ script: '/auth/clinician.js', stylesheet: '/clinician.css', returnTo: '/notes' });

  test('says so on the channel of the site, then closes its window', () => {
    const browser = fakeBrowser({ elements: { '[data-clinician-popup]': { dataset: {} } }, top: true });
    expect(browser.said).toEqual(['signed-in']);
    browser.pass(1_000);
    expect(browser.closed).toBe(true);
  });

  test('is a whole page for whoever comes to see it, with a way on', () => {
    expect(page).toContain('<h1>You are signed in</h1>');
    expect(page).toMatch(/href="\/notes"><span>Go on</);
    expect(popupPage({ script: '/x.js' })).not.toMatch(/<span>Go on|undefined/);
  });

  test('has one script, from the site, and nothing inline (attack 167)', () => {
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="/auth/clinician.js" defer>']);
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/);
    expect(popupPolicy).toMatch(/^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/);
  });
});

describe('the client script', () => {
  test('does nothing on a page that asks for nothing', () => {
    const browser = fakeBrowser({ top: true });
    browser.pass(600_000);
    const { frames, went, fetched, said, opened, told, storage, closed } = browser;
    expect([...frames, ...went, ...fetched, ...said, ...opened, ...told, ...storage]).toHaveLength(0);
    expect(closed).toBe(false);
  });

  test('builds no page and no code out of text (attack 160)', () => {
    expect(clientScript).not.toMatch(/innerHTML|outerHTML|document\.write|insertAdjacent|eval\(|Function\(|['"]\*['"]/);
  });

  test('leaves no name behind in the page', () => {
    expect(clientScript).toMatch(/^"use strict";\(\(\)=>\{[\s\S]*\}\)\(\);\n$/);
  });
});
