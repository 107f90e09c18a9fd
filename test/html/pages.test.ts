import { describe, expect, test } from '@jest/globals';
import { ClinicianError, DeniedError, type ErrorCode, type Remedy } from '../../lib/errors/errors.js';
import { deniedPage, errorPage, signInErrorPage } from '../../lib/html/error-pages.js';
import { loggedOutPage, pendingPage } from '../../lib/html/pages.js';
import { errorWith, everyPage } from './every-page.js';

const tags = (page: string) => page.match(/<[^>]*>/g) ?? [];

describe.each(everyPage('Notes', '/on'))('the page "%s"', (_, { html: page }) => {
  test('is a whole document that a screen reader and a phone can read', () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(page.match(/<h1[ >]/g)).toHaveLength(1);
    expect(page.match(/<main[ >]/g)).toHaveLength(1);
    expect(/<title>(.+) - Notes<\/title>/.exec(page)?.[1]).toBe(/<h1>(.+)<\/h1>/.exec(page)?.[1]);
  });

  test('has one action, as a button', () => {
    expect(tags(page).filter((tag) => tag.startsWith('<a ') && tag.includes('clinician-button'))).toEqual([
      '<a class="clinician-button clinician-button-auto clinician-button-medium" href="/on">',
    ]);
  });

  test('has no script and no inline style, as its policy requires', () => {
    expect(page).not.toMatch(/<script|<style|\sstyle=|\son\w+=|javascript:/i);
  });

  test('closes every element', () => {
    const open: string[] = [];
    expect(tags(page).length).toBeGreaterThan(20);
    for (const tag of tags(page)) {
      const name = /^<\/?([a-z0-9]+)/i.exec(tag)?.[1] ?? '';
      if (tag.startsWith('</')) expect(open.pop()).toBe(name);
      else if (!/^<(?:!|meta|link)/.test(tag) && !tag.endsWith('/>')) open.push(name);
    }
    expect(open).toEqual([]);
  });
});

describe('hostile text', () => {
  const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`;

  test.each(everyPage(HOSTILE, '/on'))('is escaped on the page "%s"', (_, { html: page }) => {
    expect(page).toContain('&quot;&gt;&lt;script&gt;');
    expect(tags(page).join('')).not.toMatch(/script|onerror/);
  });

  test.each(everyPage('Notes', 'javascript:alert(1)', { stylesheet: 'javascript:x' }))(
    'in addresses is replaced by the front page on the page "%s"',
    (_, { html: page }) => {
      expect(page).not.toContain('javascript:');
      expect(page).toContain('href="/"');
    },
  );

  test.each(everyPage('Notes', `/a?b="><script>`))(
    'in addresses does not end its attribute on the page "%s"',
    (_, { html: page }) => {
      expect(page).toContain('href="/a?b=&quot;&gt;&lt;script&gt;"');
    },
  );

  test('is truncated without splitting a character', () => {
    for (const character of ['x', '\u{1F600}']) {
      const page = deniedPage({ reason: character.repeat(20_000) }).html;
      expect(page).toContain(`<bdi>${character.repeat(300)}...</bdi>`);
      expect(page.length).toBeLessThan(4_000);
    }
    expect(deniedPage({ reason: 'x'.repeat(300) }).html).toContain(`<bdi>${'x'.repeat(300)}</bdi>`);
  });
});

describe('the pages', () => {
  const login = (returnTo: string, query = '') => `/auth/login?returnTo=${returnTo}${query}`;

  test('a denial of the site shows its reason, its link and another account, and no other try', () => {
    const link = { label: '<Apply>', url: 'https://apply.example/a' };
    const denied = new DeniedError('sign_in_refused', 'Only for <surgeons>.', undefined, { link });
    const { html: page } = signInErrorPage(denied, { login }, '/notes');
    expect(page).toContain('Only for &lt;surgeons&gt;.');
    expect(page).toMatch(/href="https:\/\/apply\.example\/a"><span>&lt;Apply&gt;</);
    expect(page).toContain('href="/auth/login?returnTo=/notes&amp;prompt=login">Use another account<');
    expect(page).toContain('href="/">Back to home<');
    expect(page).not.toMatch(/Try again|You are not signed in/);
  });

  test('a denial of the user or the service offers another try, without the description of the service', () => {
    const denied = new DeniedError('access_denied', 'The user denied the request');
    const { html: page } = signInErrorPage(denied, { login }, '/notes');
    expect(page).toMatch(/href="\/auth\/login\?returnTo=\/notes"><span>Try again</);
    expect(page).not.toContain('The user denied');
  });

  test.each<[ErrorCode, string]>([
    ['cross_site_request', 'Back to home'],
    ['profile_refused', 'Sign out'],
    ['scope_missing', 'Sign in again'],
  ])('a request that fails with %s has the action "%s"', (code, label) => {
    const { html: page } = errorPage(errorWith('tell_user', code), { login, logout: '/auth/logout' }, '/notes');
    expect(page).toContain(`<span>${label}</span>`);
    expect(page).not.toContain('Try again');
  });

  test.each<ErrorCode>(['session_not_saved', 'tokens_in_memory', 'option_invalid'])(
    '%s offers no other try, which would fail again',
    (code) => {
      for (const show of [signInErrorPage, errorPage]) {
        const { html: page } = show(errorWith('fix_code', code), { login }, '/notes');
        expect(page).toContain('<span>Back to home</span>');
        expect(page).not.toContain('Try again');
      }
    },
  );

  test.each<[ErrorCode, typeof errorPage, string]>([
    ['transaction_expired', signInErrorPage, 'Sign in again'],
    ['login_link_invalid', signInErrorPage, 'Sign in as a clinician'],
    ['service_unreachable', signInErrorPage, 'Try again'],
    ['sign_in_required', errorPage, 'Sign in as a clinician'],
    ['recent_login_required', errorPage, 'Sign in again'],
  ])('the button of %s says what happens', (code, show, label) => {
    const error = errorWith(code === 'service_unreachable' ? 'retry' : 'sign_in', code);
    expect(show(error, { login }, '/notes').html).toContain(`href="/auth/login?returnTo=/notes"><span>${label}</span>`);
  });

  test('without a sign-in route the action is the front page', () => {
    for (const { html: page } of [deniedPage({}), pendingPage({}), loggedOutPage({})]) {
      expect(page).toMatch(/clinician-button[^>]* href="\/"><span>Back to home/);
      expect(page).not.toMatch(/<span>(?!Back)|undefined/);
    }
  });

  test('an error of the site offers no other try, which would fail again', () => {
    const page = signInErrorPage(errorWith('fix_code', 'option_invalid'), { login: () => '/auth/login' }, '/').html;
    expect(page).not.toContain('/auth/login');
    expect(page).toContain('<code>option_invalid</code>');
  });

  test('a pending verification shows how long it takes, and that the user can come back later', () => {
    const page = pendingPage({ checkAgain: '/notes' }).html;
    expect(page).toContain('up to three days');
    expect(page).toContain('You can close this page and come back later. You may then have to sign in again.');
    expect(page).toMatch(/href="\/notes"><span>Check again/);
  });

  test('a sign-out shows whether the user may still be signed in at the service', () => {
    expect(loggedOutPage({}).html).toContain('may still be signed in at the sign-in service');
    expect(loggedOutPage({ sessionAtService: 'ended' }).html).toContain('of this site and of the sign-in service');
    const page = loggedOutPage({ sessionAtService: 'continues', service: 'auth.service.example' }).html;
    expect(page).toContain('<strong>You are still signed in at the sign-in service</strong>');
    expect(page).toContain('sign out at <bdi>auth.service.example</bdi>');
  });

  test('need no stylesheet', () => {
    expect(deniedPage({}).html).not.toContain('stylesheet');
  });
});

describe('the part for developers', () => {
  const notes = (code: string, message = code, remedy: Remedy = 'investigate') => {
    const error = new ClinicianError(message, { code, remedy, status: 502 });
    return errorPage(error, { login: () => '/auth/login', isDevelopment: true }, '/').html;
  };

  test.each(['constructor', '__proto__', 'unknown_error'])('shows %s as a code of the service', (code) => {
    expect(notes(code, 'x', 'fix_code')).toContain('An error code of the service');
  });
});
