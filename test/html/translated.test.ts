import { expect, test } from '@jest/globals';
import { DENIALS, denied } from '../../lib/errors/denials.js';
import { ERROR_CLASSES, ERROR_SECTIONS } from '../../lib/errors/error-codes.js';
import { ClinicianError, type ErrorCode } from '../../lib/errors/errors.js';
import { errorPage, userMessage } from '../../lib/html/error-pages.js';
import { type CompleteTexts, ENGLISH, placeholdersOf } from '../../lib/html/texts.js';
import { provider } from '../helpers/provider.js';
import { siteFor } from '../integration/site.js';
import { everyPage, LOOK, otherPages } from './every-page.js';

/** Every text in brackets, with its placeholders: what remains of a page without them is not translated. */
const marked = Object.fromEntries(
  Object.entries(ENGLISH).map(([name, text]) => {
    const values = placeholdersOf(text).map((value) => ` {${value}}`);
    return [name, `[${name}${values.join('')}${text.includes('*') ? ' *strong*' : ''}]`];
  }),
) as CompleteTexts;
const texts = { ...marked, lang: 'en-x-marked' };

const TEXT_ATTRIBUTES = / (?:title|alt|label|placeholder|aria-\w+)="([^"]*)"/g;

/** @returns the words of a page, a button or a message that are in no text: a code is no word */
function wordsOutside(html: string): string[] {
  const attributes = [...html.matchAll(TEXT_ATTRIBUTES)].map(([, value]) => value as string);
  const visible = [html.replaceAll(/<code>.*?<\/code>|<script>.*<\/script>|<[^>]*>/gs, ''), ...attributes].join('\n');
  const words = visible.replaceAll(/\[[^\]]*\]/g, '').match(/\p{L}+/gu) ?? [];
  return words.filter((word) => word !== 'true' && word !== 'false');
}

test('a word outside the texts is found', () => {
  expect(wordsOutside('<p title="Hidden">[currentUser <b>Mo</b>] Signed in</p>')).toEqual(['Signed', 'in', 'Hidden']);
});

const shared = { texts, siteName: '1' };

test.each([...everyPage('2', '/', { texts }), ...otherPages(shared)])('the page "%s" is translated', (_, { html }) => {
  expect(html).toContain('<html lang="en-x-marked">');
  expect(wordsOutside(html)).toEqual([]);
});

test.each(Object.keys(DENIALS) as (keyof typeof DENIALS)[])('the message of the denial %s is translated', (code) => {
  for (const kind of ['signIn', 'request'] as const)
    expect(wordsOutside(userMessage(denied(code), kind, texts))).toEqual([]);
});

/** Codes of errors that are no denial. */
const failures = ERROR_SECTIONS.flatMap(([, codes]) => Object.entries(codes)).filter(
  ([, [type]]) => type !== 'DeniedError',
);

test.each(failures)('the pages and the message of the code %s are translated', (code, [type]) => {
  const error = new ClinicianError('English', { ...ERROR_CLASSES[type], code: code as ErrorCode, retryAt: 0 });
  const failed = { signIn: '/login', returnTo: '/', isDevelopment: false };
  for (const kind of ['signIn', 'request'] as const) {
    const page = errorPage({ ...LOOK, ...shared }, error, { kind, ...failed });
    expect([page.html, userMessage(error, kind, texts)].flatMap(wordsOutside)).toEqual([]);
  }
});

test('the buttons are translated', () => {
  const { signInButton, signOutButton, shareButton } = siteFor(provider, { texts }).clinician;
  const html = [signInButton(), signOutButton(), shareButton({ url: 'https://app.example/' })];
  expect(html.map((part) => /\[(\w+)\]/.exec(part)?.[1])).toEqual(['signIn', 'signOut', 'share']);
  expect(html.flatMap(wordsOutside)).toEqual([]);
});
