import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** The two scripts define `axe` and `layoutProblems()` in the page. */
const SCRIPTS = [
  readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'),
  readFileSync(new URL('layout-check.js', import.meta.url), 'utf8'),
].join('\n');

/** The rules of axe-core whose result depends on the width or the colors of a page. */
const LAYOUT_RULES = ['color-contrast', 'target-size', 'scrollable-region-focusable', 'link-in-text-block'];

/** A phone and a screen, each with one of the color schemes. */
const SETTINGS = [
  { width: 360, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
] as const;

/** Problems by kind; a kind without any is left out. */
type Problems = Record<string, string[]>;

/** Runs axe-core in the page. @param rules undefined for all rules, of WCAG 2.2 AA and of good practice */
function axeProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ['violations'], preload: false, ...(rules && { runOnly: rules }) };
  return page.evaluate(`axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => id + ': ' + (any[0]?.message ?? '') + ' ' + html)))`);
}

/** Presses Tab more often than there are controls, so that the focus returns to the first one. @returns the problems of its path */
async function keyboardProblems(page: Page): Promise<string[]> {
  const controls = await page.evaluate<number>('startKeyboardCheck()');
  for (let presses = 0; presses < controls + 3; presses += 1) await page.keyboard.press('Tab');
  return page.evaluate('keyboardProblems()');
}

/** Adds the checks to every document that the page opens from now on. They are half a megabyte, and are sent only once. */
export async function addChecks(page: Page): Promise<void> {
  await page.addInitScript(`if (self === top) { ${SCRIPTS} }`);
}

/** @returns the problems of the open page, which has the checks, by setting and kind, such as `360 light: axe` */
export async function pageProblems(page: Page, screenshot?: (setting: string) => Promise<void>): Promise<Problems> {
  const found: Problems = {};
  const report = (setting: string, problems: Problems) => {
    for (const [kind, texts] of Object.entries(problems)) {
      if (texts.length > 0) found[`${setting}: ${kind}`] = [...new Set(texts)];
    }
  };
  for (const [index, { width, colorScheme }] of SETTINGS.entries()) {
    const setting = `${width} ${colorScheme}`;
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    report(setting, (await page.evaluate('layoutProblems()')) as Problems);
    report(setting, { axe: await axeProblems(page, index === 0 ? undefined : LAYOUT_RULES) });
    await screenshot?.(setting);
  }
  report('keyboard', { order: await keyboardProblems(page) });
  return found;
}
