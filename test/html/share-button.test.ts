import { describe, expect, test } from '@jest/globals';
import { type ShareButtonHTMLOptions, shareButton } from '../../lib/html/share-button.js';

const API = 'https://api.service.example';
const INBOX = `${API}/inbox/conversations/new_message`;
const HOSTILE = `"><script>alert(1)</script>'&\r\n\t\0 +%&message=x#y`;

const attribute = (button: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(button)?.[1];
/** Where the link leads, as a browser reads it. */
function target(button: string): URL {
  return new URL((attribute(button, 'href') ?? '').replaceAll('&amp;', '&'));
}
const share = (more: Partial<ShareButtonHTMLOptions> = {}) => shareButton({ apiURL: API, ...more });

describe('the share button', () => {
  test("is the spec's anchor, and a plain link that works without any script (decision 101)", () => {
    const button = share({ url: 'https://site.example/a?b=c&d', message: 'Look at this', subject: 'A case' });
    expect(button).toMatch(/^<a class="service-share-button clinician-share-button" href="/);
    expect(button).toMatch(/>Share with a colleague<\/a>$/);
    expect(target(button).href).toBe(
      `${INBOX}?url=https%3A%2F%2Fsite.example%2Fa%3Fb%3Dc%26d&message=Look%20at%20this&subject=A%20case`,
    );
    expect(attribute(button, 'data-url')).toBe('https://site.example/a?b=c&amp;d');
    expect(attribute(button, 'data-message')).toBe('Look at this');
    expect(attribute(button, 'data-subject')).toBe('A case');
    expect(attribute(button, 'rel')).toBe('noopener noreferrer');
  });

  test('shares nothing in particular when it is told nothing', () => {
    for (const button of [share(), share({ url: undefined, message: '', subject: '' })]) {
      expect(target(button).href).toBe(INBOX);
      expect(button).not.toContain('data-');
    }
  });

  test.each([
    [`${API}/`, INBOX],
    ['https://gateway.example/service/', 'https://gateway.example/service/inbox/conversations/new_message'],
    ['http://127.0.0.1:4400', 'http://127.0.0.1:4400/inbox/conversations/new_message'],
  ])('leads to the inbox at %s', (apiURL, inbox) => {
    expect(target(share({ apiURL })).href).toBe(inbox);
  });

  test("adds the service's own script, when there is one, without waiting for it", () => {
    const button = share({ scriptURL: 'https://share.service.example/share.js' });
    expect(button).toMatch(/<\/a><script async src="https:\/\/share\.service\.example\/share\.js"><\/script>$/);
    expect(share()).not.toContain('<script');
  });

  test.each(['message', 'subject', 'label'] as const)('keeps a hostile %s inert (attack 166)', (name) => {
    const button = share({ [name]: HOSTILE });
    expect(button.match(/<[^>]*>/g)).toHaveLength(2);
    expect(button).not.toMatch(/\son\w+=/);
    expect(target(button)).toMatchObject({ origin: API, pathname: '/inbox/conversations/new_message', hash: '' });
    if (name !== 'label') expect([...target(button).searchParams]).toEqual([[name, HOSTILE]]);
    expect(attribute(button, 'href')).toMatch(/^[\x21-\x7e]+$/);
  });

  test('adds no parameter but its own: the host is fixed, and so is the path (attack 166)', () => {
    const button = share({ message: 'a&url=https://evil.example', subject: '@evil.example/../..' });
    expect(target(button)).toMatchObject({ origin: API, pathname: '/inbox/conversations/new_message' });
    expect([...target(button).searchParams.keys()]).toEqual(['message', 'subject']);
  });

  test('survives text that is no text', () => {
    expect(target(share({ message: 'half \ud83d' })).searchParams.get('message')).toBe('half \ufffd');
  });

  test.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '//evil.example',
    '/relative',
    'https://',
    'https:evil.example',
    '',
  ])('shares no address like %p (attack 166, decision 100)', (url) => {
    const button = share({ url, message: 'm' });
    expect(button).not.toContain('data-url');
    expect([...target(button).searchParams.keys()]).toEqual(['message']);
  });

  test.each<[string, Partial<ShareButtonHTMLOptions>]>([
    ['apiURL', { apiURL: 'javascript:alert(1)' }],
    ['apiURL', { apiURL: '/api' }],
    ['apiURL', { apiURL: undefined as never }],
    ['scriptURL', { scriptURL: 'data:text/javascript,alert(1)' }],
    ['scriptURL', { scriptURL: 'share.js' }],
  ])('says which option is wrong: %s', (name, more) => {
    const wrong = { code: 'option_invalid', remedy: 'fix_code', message: expect.stringContaining(`'${name}'`) };
    expect(() => share(more)).toThrow(expect.objectContaining(wrong));
  });
});
