import type { Page } from 'playwright-core';

/** What stands on a page with less contrast than WCAG 2 AA asks for: 4.5, or 3 for large letters and the edges of controls. */
const FAINT = `(() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const faint = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !element.checkVisibility()) continue;
    const { color, fontSize } = getComputedStyle(element);
    const found = ratio(parse(color), ground(element));
    if (found < (parseFloat(fontSize) >= 24 ? 3 : 4.5)) faint.push([walk.currentNode.data.trim(), found]);
  }
  for (const control of document.querySelectorAll('input:not([type=hidden], [type=checkbox]), select, textarea, .quiet')) {
    const found = ratio(parse(getComputedStyle(control).borderTopColor), ground(control.parentElement));
    if (found < 3) faint.push([control.name, found]);
  }
  return faint;
})()`;

/** What is too small to press. */
const SMALL = `[...document.querySelectorAll('button, input:not([type=hidden], [type=checkbox]), select, a.button')]
  .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 44).map((element) => element.outerHTML)`;
/** Controls without a label. */
const UNNAMED = `[...document.querySelectorAll('input:not([type=hidden]), select, textarea')]
  .filter((element) => !element.labels[0]?.textContent.trim()).map((element) => element.name)`;
/** Descriptions that are not there. */
const DANGLING = `[...document.querySelectorAll('[aria-describedby], [aria-labelledby]')]
  .flatMap((element) => (element.getAttribute('aria-describedby') ?? element.getAttribute('aria-labelledby')).split(' '))
  .filter((id) => !document.getElementById(id))`;

/** @returns what keeps people from reading or using a page, as far as a machine can tell. */
export async function obstaclesOn(page: Page): Promise<Record<string, unknown>> {
  return {
    tooWide: await page.evaluate('document.documentElement.scrollWidth > innerWidth'),
    faint: await page.evaluate(FAINT),
    small: await page.evaluate(SMALL),
    unnamed: await page.evaluate(UNNAMED),
    dangling: await page.evaluate(DANGLING),
  };
}
