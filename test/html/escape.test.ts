import { describe, expect, test } from '@jest/globals';
import { escapeHTML, html, linkTarget } from '../../lib/html/escape.js';

const HOSTILE = `</script><img src=x onerror='alert(1)'>"&amp;`;

describe('escapeHTML', () => {
  test('escapes every character that could end a text or an attribute', () => {
    expect(escapeHTML(HOSTILE)).toBe('&lt;/script&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&quot;&amp;amp;');
  });
});

describe('the html template', () => {
  test('escapes values, but not its own HTML again', () => {
    const inner = html`<b>${HOSTILE}</b>`;
    expect(html`<p title="${'"'}">${inner}</p>`.toString()).toBe(`<p title="&quot;"><b>${escapeHTML(HOSTILE)}</b></p>`);
  });

  test('omits null, undefined and false, joins arrays, prints zero', () => {
    expect(html`[${null}${undefined}${false}${[html`<i>a</i>`, '<', [0]]}]`.toString()).toBe('[<i>a</i>&lt;0]');
  });
});

describe('linkTarget', () => {
  test.each(['/', '/notes?a=1#b', 'notes', '?a', 'https://x.example/', 'http://127.0.0.1:3000/'])(
    'accepts %s',
    (address) => {
      expect(linkTarget(address, '/safe')).toBe(address);
    },
  );

  test.each([
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\tscript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://x.example/1',
    'mailto:a@b',
    'https://',
    '//evil.example/x',
    '/\\evil.example/x',
    '\\\\evil.example/x',
    '/\t/evil.example/x',
    'https:evil.example',
    'http:/evil.example',
    undefined,
  ])('replaces %p by the fallback', (address) => {
    expect(linkTarget(address, '/safe')).toBe('/safe');
  });
});
