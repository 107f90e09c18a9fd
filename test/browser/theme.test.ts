import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { shareButton, signInButton, signOutButton } from '../../lib/html/buttons.js';
import { addChecks, pageProblems } from './accessibility.js';
import { newProfile } from './harness.js';

const STYLES = readFileSync('lib/html/browser/styles.css', 'utf8');
const THEMES = ['light', 'dark', 'auto'] as const;

let page: Page;
beforeAll(async () => {
  const context = await newProfile();
  page = await context.newPage();
  await addChecks(page);
});

/** Every button with every theme. */
function buttons(): string {
  const forms = THEMES.flatMap((theme) => [
    signInButton({ theme, label: `Sign in, ${theme}` }, '/'),
    signInButton({ theme, variant: 'outline', size: 'large', label: `Outline, ${theme}` }, '/'),
    signOutButton({ theme, size: 'small', label: `Sign out, ${theme}` }, '/'),
  ]);
  const share = shareButton({ label: 'Share' }, { apiURL: 'https://api.example' });
  return [...forms, share].map((button) => `<p>${button}</p>`).join('\n');
}

const document = (body: string, style = '') =>
  `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>A site</title><style>${STYLES}${style}</style><body>${body}`;

async function open(html: string): Promise<void> {
  await page.goto(`data:text/html,${encodeURIComponent(html)}`);
}

test('the buttons have no problem on a page with both color schemes', async () => {
  await open(document(`<main><h1>Buttons</h1>${buttons()}</main>`, ':root { color-scheme: light dark; }'));
  expect(await pageProblems(page)).toEqual({});
});

/** Computes the contrast of each text to its background (WCAG 2.2, 1.4.3). */
const CONTRASTS = `(() => {
  const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  const pixels = new Map();
  const pixel = (color) => {
    if (!pixels.has(color)) pixels.set(color, read(color));
    return pixels.get(color);
  };
  const read = (color) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color) => {
    const [r, g, b] = pixel(color).map((part) => (part <= 10.31475 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backgroundOf = (element) => {
    const color = getComputedStyle(element).backgroundColor;
    return pixel(color)[3] === 0 && element.parentElement ? backgroundOf(element.parentElement) : color;
  };
  return [...document.querySelectorAll('a, button, p, h1')].map((element) => {
    const colors = [getComputedStyle(element).color, backgroundOf(element)];
    const [dark, light] = colors.map(luminance).sort((a, b) => a - b);
    return { accent: element.closest('[data-accent]').dataset.accent, text: element.textContent, contrast: (light + 0.05) / (dark + 0.05) };
  });
})()`;

const NAMED = ['#fff', '#000', '#fc0', '#0a0', '#f00', '#00f', '#0ff', '#f0f', '#7a1fa2', '#767676', '#777', '#0b5c73'];
/** Colors all over the cube, a step apart that no edge repeats. */
const SPREAD = Array.from(
  { length: 24 },
  (_, index) => `rgb(${[73, 151, 211].map((step) => (index * step) % 256).join(' ')})`,
);

test.each(['light', 'dark'] as const)(
  'text has AA contrast for every accent in the %s color scheme',
  async (colorScheme) => {
    const text = '<h1>Title</h1><p>Text <a href="/">Link</a></p><p class="clinician-note">Note</p>';
    const card = `<div class="clinician-page"><p>Header <a class="clinician-home" href="/">Home</a></p><div class="clinician-card">${text}<div class="clinician-other"><a href="/">Back</a></div>${buttons()}</div></div>`;
    const sections = [...NAMED, ...SPREAD].flatMap((accent) => [
      `<div data-accent="${accent}" style="--clinician-accent: ${accent}">${card}</div>`,
      `<div data-accent="${accent}, also dark" style="--clinician-accent: ${accent}; --clinician-accent-dark: ${accent}">${card}</div>`,
    ]);
    await page.emulateMedia({ colorScheme });
    await open(document(sections.join('\n'), '.clinician-card p a { color: inherit; }'));
    const found = (await page.evaluate(CONTRASTS)) as { accent: string; text: string; contrast: number }[];
    expect(found.length).toBeGreaterThan(500);
    expect(found.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
  },
);

test('a button without a theme follows the color scheme of the page around it', async () => {
  const button = signInButton({ label: 'Sign in' }, '/');
  const face = "getComputedStyle(document.querySelector('a')).backgroundColor";
  await page.emulateMedia({ colorScheme: 'dark' });
  await open(document(button));
  const light = await page.evaluate(face);
  expect(light).toBe('rgb(11, 92, 115)');
  await open(document(button, ':root { color-scheme: light dark; }'));
  expect(await page.evaluate(face)).not.toBe(light);
});

test('the site sets color, font and radius of buttons and pages', async () => {
  const variables = ':root { --clinician-accent: #7a1fa2; --clinician-font: monospace; --clinician-radius: 3px; }';
  await page.emulateMedia({ colorScheme: 'light' });
  await open(document(`<div class="clinician-page">${buttons()}</div>`, variables));
  const look = `[...document.querySelectorAll('.clinician-button, .clinician-share-button')].map((element) => {
    const { fontFamily, borderRadius } = getComputedStyle(element);
    return fontFamily + ' ' + borderRadius;
  })`;
  expect(new Set((await page.evaluate(look)) as string[])).toEqual(new Set(['monospace 3px']));
  const face = "getComputedStyle(document.querySelector('a')).backgroundColor";
  expect(await page.evaluate(face)).toBe('rgb(122, 31, 162)');
});
