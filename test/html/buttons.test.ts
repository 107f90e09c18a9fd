import { describe, expect, test } from '@jest/globals';
import { type ShareButtonHTMLOptions, shareButton, signInButton, signOutButton } from '../../lib/html/buttons.js';

const API = 'https://api.service.example';
const SCRIPT = 'https://share.service.example/share.js';
const INBOX = `${API}/inbox/conversations/new_message`;
const HOSTILE = `"><script>alert(1)</script>'&\r\n\t\0 +%&message=x#y`;

const attribute = (button: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(button)?.[1];
/** The address of the link, as a browser reads it. */
function target(button: string): URL {
  return new URL((attribute(button, 'href') ?? '').replaceAll('&amp;', '&'));
}
const share = (more: Partial<ShareButtonHTMLOptions> = {}) => shareButton({ apiURL: API, ...more });

describe('the sign-in button', () => {
  test('is a link with a label, so that it works without a script', () => {
    const button = signInButton({ href: '/auth/login' });
    expect(button).toMatch(
      /^<a class="clinician-button clinician-button-auto clinician-button-medium" href="\/auth\/login" hx-boost="false" data-turbo="false">/,
    );
    expect(button).toContain('<span>Sign in as a clinician</span></a>');
  });

  test('has a logo that screen readers and the keyboard skip', () => {
    expect(signInButton({ href: '/' })).toMatch(/<svg [^>]*aria-hidden="true" focusable="false">/);
  });

  test('has a data- attribute for a popup', () => {
    expect(signInButton({ href: '/', display: 'popup' })).toContain(' data-clinician-display="popup">');
    expect(signInButton({ href: '/', display: 'page' })).not.toContain('data-clinician');
  });

  test('has the known themes and sizes, and ignores others', () => {
    const known = { theme: 'dark', size: 'large' } as const;
    expect(signInButton({ href: '/', ...known })).toContain('clinician-button-dark clinician-button-large"');
    const unknown = { theme: '"><script>', size: '__proto__', variant: '"' } as never;
    expect(signInButton({ href: '/', ...(unknown as object) })).toContain(
      'clinician-button-auto clinician-button-medium"',
    );
  });

  test('escapes its label and its address, and replaces a javascript: address', () => {
    const button = signInButton({ href: '/auth/login?returnTo=%2F&x="><script>', label: '<b>Go</b>' });
    expect(button).toContain('href="/auth/login?returnTo=%2F&amp;x=&quot;&gt;&lt;script&gt;"');
    expect(button).toContain('<span>&lt;b&gt;Go&lt;/b&gt;</span>');
    expect(signInButton({ href: 'javascript:alert(1)' })).toContain('href="/"');
  });

  test('has no inline style and no inline script', () => {
    expect(signInButton({ href: '/', display: 'popup' })).not.toMatch(/\sstyle=|\son\w+=|<style|<script/);
  });
});

describe('the sign-out button', () => {
  test('is a form with a POST and no link', () => {
    const button = signOutButton({ action: '/auth/logout' });
    expect(button).toMatch(
      /^<form class="clinician-sign-out" method="post" action="\/auth\/logout" hx-boost="false" data-turbo="false"><button /,
    );
    expect(button).toContain('type="submit"><span>Sign out</span></button></form>');
  });

  test('is an outline by default', () => {
    expect(signOutButton({ action: '/' })).toContain(
      '"clinician-button clinician-button-auto clinician-button-medium clinician-button-outline"',
    );
    expect(signOutButton({ action: '/', variant: 'solid' })).not.toContain('outline');
    expect(signInButton({ href: '/' })).not.toContain('outline');
    expect(signInButton({ href: '/', variant: 'outline' })).toContain('clinician-button-outline"');
  });

  test('escapes its label, and has the look of the sign-in button', () => {
    const button = signOutButton({ action: 'javascript:alert(1)', label: HOSTILE, theme: 'dark', size: 'large' });
    expect(button).toContain('clinician-button-dark clinician-button-large clinician-button-outline"');
    expect(button).toContain('action="/"');
    expect(button).not.toMatch(/<script|\sstyle=|javascript:/);
  });
});

describe('the share button', () => {
  test('without the script is a link with query parameters and no data- attributes', () => {
    const button = share({ url: 'https://site.example/a?b=c&d', message: 'Look at this', subject: 'A case' });
    expect(button).toMatch(/^<a class="service-share-button clinician-share-button" href="/);
    expect(button).toMatch(/>Share with a colleague<\/a>$/);
    expect(target(button).href).toBe(
      `${INBOX}?url=https%3A%2F%2Fsite.example%2Fa%3Fb%3Dc%26d&message=Look%20at%20this&subject=A%20case`,
    );
    expect(button).not.toContain('data-');
    expect(attribute(button, 'rel')).toBe('noopener noreferrer');
  });

  test('with the script has data- attributes, and a plain link for browsers that run no scripts', () => {
    const shared = { url: 'https://site.example/a?b=c&d', message: 'Look at this', subject: 'A case' };
    const [button = '', fallback = ''] = share({ ...shared, scriptURL: SCRIPT }).split('<noscript>');
    expect(target(button).href).toBe(INBOX);
    expect(attribute(button, 'data-url')).toBe('https://site.example/a?b=c&amp;d');
    expect(attribute(button, 'data-message')).toBe('Look at this');
    expect(attribute(button, 'data-subject')).toBe('A case');
    expect(Object.fromEntries(target(fallback).searchParams)).toEqual(shared);
    expect(fallback).not.toMatch(/data-|service-share-button/);
  });

  test('opens an empty message without url, message and subject', () => {
    for (const button of [share(), share({ url: undefined, message: '', subject: '' })]) {
      expect(target(button).href).toBe(INBOX);
      expect(button).not.toContain('data-');
    }
  });

  test.each([
    [`${API}/`, INBOX],
    ['https://gateway.example/service/', 'https://gateway.example/service/inbox/conversations/new_message'],
    ['http://127.0.0.1:4400', 'http://127.0.0.1:4400/inbox/conversations/new_message'],
  ])('opens the inbox below %s', (apiURL, inbox) => {
    expect(target(share({ apiURL })).href).toBe(inbox);
  });

  test("adds the service's script as async if there is one", () => {
    const button = share({ scriptURL: SCRIPT });
    expect(button).toMatch(/<\/noscript><script async src="https:\/\/share\.service\.example\/share\.js"><\/script>$/);
    expect(share()).not.toContain('<script');
  });

  test.each(['message', 'subject', 'label'] as const)('escapes a hostile %s', (name) => {
    const button = share({ [name]: HOSTILE });
    expect(button.match(/<[^>]*>/g)).toHaveLength(2);
    expect(button).not.toMatch(/\son\w+=/);
    expect(target(button)).toMatchObject({ origin: API, pathname: '/inbox/conversations/new_message', hash: '' });
    if (name !== 'label') expect([...target(button).searchParams]).toEqual([[name, HOSTILE]]);
    expect(attribute(button, 'href')).toMatch(/^[\x21-\x7e]+$/);
    const withScript = share({ [name]: HOSTILE, scriptURL: SCRIPT });
    expect(withScript.match(/<[^>]*>/g)).toHaveLength(8);
    expect(withScript).not.toMatch(/\son\w+=/);
  });

  test('retains host and path, and adds only its own parameters', () => {
    const button = share({ message: 'a&url=https://evil.example', subject: '@evil.example/../..' });
    expect(target(button)).toMatchObject({ origin: API, pathname: '/inbox/conversations/new_message' });
    expect([...target(button).searchParams.keys()]).toEqual(['message', 'subject']);
  });

  test('accepts a lone surrogate', () => {
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
  ])('omits the url %p', (url) => {
    expect([...target(share({ url, message: 'm' })).searchParams.keys()]).toEqual(['message']);
    expect(share({ url, message: 'm', scriptURL: SCRIPT })).not.toMatch(/data-url|[?;&]url=/);
  });

  test.each<[string, Partial<ShareButtonHTMLOptions>]>([
    ['apiURL', { apiURL: 'javascript:alert(1)' }],
    ['apiURL', { apiURL: '/api' }],
    ['apiURL', { apiURL: undefined as never }],
    ['scriptURL', { scriptURL: 'data:text/javascript,alert(1)' }],
    ['scriptURL', { scriptURL: 'share.js' }],
  ])('throws for an invalid %s, and names it', (name, more) => {
    const wrong = { code: 'option_invalid', remedy: 'fix_code', message: expect.stringContaining(`'${name}'`) };
    expect(() => share(more)).toThrow(expect.objectContaining(wrong));
  });
});
