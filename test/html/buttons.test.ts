import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { type ShareButtonOptions, shareButton, signInButton, signOutButton } from '../../lib/html/buttons.js';

const API = 'https://api.service.example';
const SCRIPT = 'https://share.service.example/share.js';
const INBOX = `${API}/inbox/conversations/new_message`;
const HOSTILE = `"><script>alert(1)</script>'&\r\n\t\0 +%&message=x#y`;

const attribute = (button: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(button)?.[1];
/** The address of the link, as a browser reads it. */
function target(button: string): URL {
  return new URL((attribute(button, 'href') ?? '').replaceAll('&amp;', '&'));
}
type Share = ShareButtonOptions & { apiURL?: string; scriptURL?: string };
const share = ({ apiURL = API, scriptURL, label = 'Share', ...more }: Share = {}) =>
  shareButton({ label, ...more }, { apiURL, scriptURL });
const SIGN_IN = { label: 'Sign in' };

describe('the sign-in button', () => {
  test('is a link with a label, so that it works without a script', () => {
    const button = signInButton(SIGN_IN, '/auth/login');
    expect(button).toMatch(
      /^<a class="clinician-button clinician-button-auto clinician-button-medium" href="\/auth\/login" hx-boost="false" data-turbo="false">/,
    );
    expect(button).toContain('<span>Sign in</span></a>');
    expect(button).not.toMatch(/\sstyle=|\son\w+=|<style|<script/);
  });

  test('has a logo that screen readers and the keyboard skip, with the symbol of the reference site', () => {
    const [, symbol] =
      /<svg [^>]*aria-hidden="true" focusable="false"><path d="([^"]+)"/.exec(signInButton(SIGN_IN, '/')) ?? [];
    for (const name of ['icon', 'ward']) {
      expect(readFileSync(`example-app/public/${name}.svg`, 'utf8')).toContain(` d="${symbol}"`);
    }
  });

  test('escapes its label and its address, and replaces a javascript: address', () => {
    const button = signInButton({ label: '<b>Go</b>' }, '/auth/login?returnTo=%2F&x="><script>');
    expect(button).toContain('href="/auth/login?returnTo=%2F&amp;x=&quot;&gt;&lt;script&gt;"');
    expect(button).toContain('<span>&lt;b&gt;Go&lt;/b&gt;</span>');
    expect(signInButton(SIGN_IN, 'javascript:alert(1)')).toContain('href="/"');
  });
});

describe('the sign-out button', () => {
  test('is a form with a POST and no link', () => {
    const button = signOutButton({ label: 'Sign out' }, '/auth/logout');
    expect(button).toMatch(
      /^<form class="clinician-sign-out" method="post" action="\/auth\/logout" hx-boost="false" data-turbo="false"><button /,
    );
    expect(button).toContain('type="submit"><span>Sign out</span></button></form>');
  });

  test('escapes its label, and has the look of the sign-in button as an outline', () => {
    const look = { theme: 'dark', size: 'large' } as const;
    const button = signOutButton({ label: HOSTILE, ...look }, 'javascript:alert(1)');
    expect(button).toContain('clinician-button-dark clinician-button-large clinician-button-outline"');
    expect(button).toContain('action="/"');
    expect(button).not.toMatch(/<script|\sstyle=|javascript:/);
    expect(signOutButton({ label: '', variant: 'solid' }, '/')).not.toContain('outline');
    expect(signInButton({ ...SIGN_IN, ...look }, '/')).toContain('clinician-button-dark clinician-button-large"');
  });
});

describe('the share button', () => {
  test('without the script is a link with query parameters and no data- attributes', () => {
    const button = share({ url: 'https://site.example/a?b=c&d', message: 'Look at this', subject: 'A case' });
    expect(button).toMatch(/^<a class="service-share-button clinician-share-button" href="/);
    expect(button).toMatch(/>Share<\/a>$/);
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
    expect(fallback).toContain(`</noscript><script async src="${SCRIPT}"></script>`);
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
});
