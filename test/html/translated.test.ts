import { describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';
import supertest from 'supertest';
import { ERROR_CLASSES, ERROR_SECTIONS } from '../../lib/errors/error-codes.js';
import { ClinicianError, type ErrorCode } from '../../lib/errors/errors.js';
import { errorPage, userMessage } from '../../lib/html/error-pages.js';
import { type CompleteTexts, ENGLISH, placeholdersOf } from '../../lib/html/texts.js';
import { deny } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { withNodeEnv } from '../helpers/node-env.js';
import { provider } from '../helpers/provider.js';
import { navigation, type Site, type SiteOptions, siteFor } from '../integration/site.js';
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

/** Codes of errors that are no denial. Denials have messages, which the requests below show. */
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

/** A site in production, whose pages have no text for developers. */
function translatedSite(options: SiteOptions = {}): Promise<Site> {
  return withNodeEnv('production', () =>
    siteFor(provider, { texts, pages: { siteName: '1' }, onEvent: () => undefined, ...options }),
  );
}

test('the buttons are translated', async () => {
  const { signInButton, signOutButton, shareButton } = (await translatedSite()).clinician;
  const html = [signInButton(), signOutButton(), shareButton({ url: 'https://app.example/' })];
  expect(html.map((part) => /\[(\w+)\]/.exec(part)?.[1])).toEqual(['signIn', 'signOut', 'share']);
  expect(html.flatMap(wordsOutside)).toEqual([]);
});

const crossSite = { 'Sec-Fetch-Site': 'cross-site' };
const script = { Accept: 'application/json' };

/** Expects a translated response, and the text that says why. */
function expectTranslated(response: Response, text: keyof CompleteTexts): void {
  const shown = response.text.startsWith('{') ? (JSON.parse(response.text).detail as string) : response.text;
  expect(shown).toContain(`[${text}`);
  expect(wordsOutside(shown)).toEqual([]);
}

type Agent = ReturnType<typeof supertest.agent>;
type Refusal = [text: keyof CompleteTexts, options: SiteOptions, as: string, send: (agent: Agent) => supertest.Test];

const refusals: Record<string, Refusal> = {
  'a sign-in in a frame': ['framedReason', {}, '', (agent) => agent.get('/auth/login').set('Sec-Fetch-Dest', 'iframe')],
  'a form of another site': ['crossSiteReason', {}, 'verified', (agent) => agent.post('/auth/logout').set(crossSite)],
  'a profile that does not meet the condition': [
    'profileRefusedReason',
    {},
    'verified',
    (agent) => agent.get('/cardiology'),
  ],
  'a scope that was not granted': [
    'approvalText',
    { scope: 'openid', optionalScope: 'email' },
    'verified',
    (agent) => agent.get('/email'),
  ],
};

describe.each(Object.entries(refusals))('%s is refused in the language of the site', (_, [text, options, as, send]) => {
  test.each([
    ['a page', navigation],
    ['a script', script],
  ])('to %s', async (_kind, headers) => {
    const { app, clinician } = await translatedSite(options);
    if (options.scope === undefined)
      app.get(
        '/cardiology',
        clinician.requireProfile(() => false),
      );
    else app.get('/email', clinician.requireScope('email'));
    app.use(clinician.errorHandler());
    const agent = supertest.agent(app);
    if (as) await signIn(agent, provider, { as });
    expectTranslated(await send(agent).set(headers).expect(403), text);
  });
});

test('a user who is not verified yet is refused in the language of the site', async () => {
  const { app } = await translatedSite();
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'pending' });
  expectTranslated(await agent.get('/notes').set(navigation).expect(403), 'pendingText');
  expectTranslated(await agent.get('/notes').set(script).expect(403), 'pendingText');
});

test.each([
  ['false', () => false as never, 'signInRefusedReason'],
  ['deny()', () => deny('[signIn]'), 'signIn'],
] as const)(
  'a sign-in that onSignIn refuses by %s is refused in the language of the site',
  async (_, onSignIn, text) => {
    const { app } = await translatedSite({ onSignIn });
    expectTranslated(await signIn(supertest.agent(app), provider, { as: 'verified' }), text);
  },
);
