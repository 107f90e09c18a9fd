import { describe, expect, test } from '@jest/globals';
import {
  ClinicianError,
  ConfigurationError,
  DeniedError,
  type ErrorCode,
  type Remedy,
} from '../../lib/errors/errors.js';
import { resolveLook } from '../../lib/express/page-options.js';
import { errorPage } from '../../lib/html/error-pages.js';
import { loggedOutPage } from '../../lib/html/pages.js';
import { resolveRoutes } from '../../lib/options/routes.js';
import { errorWith, everyPage, LOOK } from './every-page.js';

const tags = (page: string) => page.match(/<[^>]*>/g) ?? [];
const HERE = 'http://127.0.0.1:3000';
const SIGN_IN = '/auth/login?returnTo=/notes';

/** @returns the page of an error of a sign-in, or of another request, for the path /notes. */
function pageOf(error: ClinicianError, kind: 'signIn' | 'request' = 'signIn', more = {}): string {
  const look = { ...LOOK, logout: '/auth/logout' };
  return errorPage(look, error, { kind, signIn: SIGN_IN, returnTo: '/notes', isDevelopment: false, ...more }).html;
}

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
    const denial = (reason: string) => pageOf(new DeniedError('sign_in_refused', reason));
    for (const character of ['x', '\u{1F600}']) {
      const page = denial(character.repeat(20_000));
      expect(page).toContain(`<bdi>${character.repeat(300)}...</bdi>`);
      expect(page.length).toBeLessThan(4_000);
    }
    expect(denial('x'.repeat(300))).toContain(`<bdi>${'x'.repeat(300)}</bdi>`);
  });
});

describe('the pages', () => {
  test('a denial of the site shows its reason, its link and another account, and no other try', () => {
    const link = { label: '<Apply>', url: 'https://apply.example/a' };
    const page = pageOf(new DeniedError('sign_in_refused', 'Only for <surgeons>.', undefined, { link }));
    expect(page).toContain('Only for &lt;surgeons&gt;.');
    expect(page).toMatch(/href="https:\/\/apply\.example\/a"><span>&lt;Apply&gt;</);
    expect(page).toContain('href="/auth/login?returnTo=/notes&amp;prompt=login">Use another account<');
    expect(page).toContain('href="/">Back to home<');
    expect(page).not.toMatch(/Try again|You are not signed in/);
  });

  test('a denial of the user or the service offers another try, without the description of the service', () => {
    const page = pageOf(new DeniedError('access_denied', 'The user denied the request'));
    expect(page).toMatch(/href="\/auth\/login\?returnTo=\/notes"><span>Try again</);
    expect(page).not.toContain('The user denied');
  });

  test.each<ErrorCode>(['session_not_saved', 'tokens_in_memory', 'option_invalid'])(
    '%s offers no other try, which would fail again',
    (code) => {
      for (const kind of ['signIn', 'request'] as const) {
        const page = pageOf(errorWith('fix_code', code), kind);
        expect(page).toContain(`<code>${code}</code>`);
        expect(page).toContain('<span>Back to home</span>');
        expect(page).not.toMatch(/Try again|\/auth\/login/);
      }
    },
  );

  test.each<[ErrorCode, 'signIn' | 'request', string]>([
    ['transaction_expired', 'signIn', 'Sign in again'],
    ['login_link_invalid', 'signIn', 'Sign in as a clinician'],
    ['service_unreachable', 'signIn', 'Try again'],
    ['sign_in_required', 'request', 'Sign in as a clinician'],
    ['recent_login_required', 'request', 'Sign in again'],
  ])('the button of %s says what happens', (code, kind, label) => {
    const error = errorWith(code === 'service_unreachable' ? 'retry' : 'sign_in', code);
    expect(pageOf(error, kind)).toContain(`href="${SIGN_IN}"><span>${label}</span>`);
  });

  test('without a sign-in route the action is the front page', () => {
    const signIn = undefined;
    for (const page of [
      pageOf(errorWith('tell_user', 'access_denied'), 'signIn', { signIn }),
      loggedOutPage(LOOK, { signIn, sessionAtService: 'unknown', service: '' }).html,
    ]) {
      expect(page).toMatch(/clinician-button[^>]* href="\/"><span>Back to home/);
      expect(page).not.toMatch(/<span>(?!Back)|undefined/);
    }
  });

  test.each([
    ['unknown', 'may still be signed in at the sign-in service'],
    ['ended', 'of this site and of the sign-in service'],
    ['continues', '<strong>You are still signed in at the sign-in service</strong>'],
    ['continues', 'sign out at <bdi>auth.service.example</bdi>'],
  ] as const)('a sign-out after which the session at the service is %s shows "%s"', (sessionAtService, text) => {
    const page = loggedOutPage(LOOK, { signIn: '/', sessionAtService, service: 'auth.service.example' });
    expect(page.html).toContain(text);
  });
});

test.each([
  ['a local issuer', 'http://127.0.0.1:4400', 'href="http://127.0.0.1:4400/_mock/inspector"'],
  ['another server on this machine', 'http://localhost:8080/realms/clinic', undefined],
  ['the service', 'https://auth.service.example', undefined],
])('the part for developers links to the inspector of %s, if it can be a mock provider', (_, issuer, link) => {
  const { inspector } = resolveLook(
    {},
    { origin: HERE, routes: resolveRoutes('/auth/callback'), issuer, isDevelopment: true },
  );
  const page = errorPage({ ...LOOK, inspector }, errorWith('retry', 'rate_limited'), {
    ...{ kind: 'request', signIn: SIGN_IN, returnTo: '/notes', isDevelopment: true },
  });
  expect(/href="[^"]*"(?= target="_blank" rel="noopener"><span>Open in the inspector)/.exec(page.html)?.[0]).toBe(link);
});

test.each(['constructor', '__proto__', 'unknown_error'])('the part for developers shows %s as a code', (code) => {
  const error = new ClinicianError('x', { code, remedy: 'fix_code' satisfies Remedy, status: 502 });
  const page = pageOf(error, 'request', { isDevelopment: true });
  expect(page).toContain(`<p>Code: <code>${code}</code></p>`);
  expect(page).toContain('See <code>docs/reference/errors.md#codes-of-the-service</code>');
});

test.each([
  ['a user signed in, but', 'A user signed in, but'],
  ['clinicianLogin() takes no', 'clinicianLogin() takes no'],
  ['tokenStore needs', 'tokenStore needs'],
])('the part for developers shows the message "%s" as "%s"', (message, shown) => {
  const error = new ConfigurationError('argument_invalid', `passport-clinician: ${message} x.`);
  expect(pageOf(error, 'request', { isDevelopment: true })).toContain(`<bdi>${shown} x.</bdi>`);
});
