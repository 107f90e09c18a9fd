import type { Page } from 'playwright-core';

/** Texts and borders of controls below the contrast of WCAG 2 AA: 4.5, or 3 for large text and for borders. */
const LOW_CONTRAST = `(() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const contrast = (a, b) => (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
    const { color, fontSize } = getComputedStyle(element);
    const value = contrast(parse(color), background(element));
    if (value < (parseFloat(fontSize) >= 24 ? 3 : 4.5)) found.push([walker.currentNode.data.trim(), value]);
  }
  for (const control of document.querySelectorAll('input:not([type=hidden], [type=checkbox]), select, textarea, .quiet')) {
    const value = contrast(parse(getComputedStyle(control).borderTopColor), background(control.parentElement));
    if (value < 3) found.push([control.name, value]);
  }
  return found;
})()`;

/** Controls that are less than 44 pixels high. */
const TOO_SMALL = `[...document.querySelectorAll('button, input:not([type=hidden], [type=checkbox]), select, a.button')]
  .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 44).map((element) => element.outerHTML)`;
/** Controls without a label. */
const UNLABELLED = `[...document.querySelectorAll('input:not([type=hidden]), select, textarea')]
  .filter((element) => !element.labels[0]?.textContent.trim()).map((element) => element.name)`;
/** Ids in ARIA attributes that no element has. */
const UNKNOWN_IDS = `[...document.querySelectorAll('[aria-describedby], [aria-labelledby]')]
  .flatMap((element) => (element.getAttribute('aria-describedby') ?? element.getAttribute('aria-labelledby')).split(' '))
  .filter((id) => !document.getElementById(id))`;

/** The result of {@link accessibilityProblems} for a page without any. */
export const NO_PROBLEMS: Record<string, unknown> = {
  tooWide: false,
  lowContrast: [],
  tooSmall: [],
  unlabelled: [],
  unknownIDs: [],
};

/** @returns the problems of a page that a program can find, by kind */
export async function accessibilityProblems(page: Page): Promise<Record<string, unknown>> {
  // The computed styles are those of a rendered page.
  await page.waitForLoadState();
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  return {
    tooWide: await page.evaluate('document.documentElement.scrollWidth > innerWidth'),
    lowContrast: await page.evaluate(LOW_CONTRAST),
    tooSmall: await page.evaluate(TOO_SMALL),
    unlabelled: await page.evaluate(UNLABELLED),
    unknownIDs: await page.evaluate(UNKNOWN_IDS),
  };
}
