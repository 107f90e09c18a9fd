import { describe, expect, test } from '@jest/globals';
import styles from '../../lib/html/browser/styles.css?text';

describe('the stylesheet', () => {
  type Colors = Readonly<Record<string, string>>;
  /** The custom properties of the nth rule that sets them for a selector. */
  function colors(selector: string, nth: number): Colors {
    const rules = [...styles.matchAll(/([^{}]+)\{([^{}]*--[^{}]*)\}/g)].filter(([, names]) =>
      names?.includes(selector),
    );
    return Object.fromEntries(
      [...(rules[nth]?.[2] ?? '').matchAll(/--(\w+): (#\w+)/g)].map(([, name, value]) => [name, value]),
    );
  }

  function luminance(color: string): number {
    const hex = color.length === 4 ? color.replace(/[^#]/g, '$&$&') : color;
    const [r = 0, g = 0, b = 0] = [1, 3, 5]
      .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function contrast(one: string | undefined, other: string | undefined): number {
    const [dark = 0, light = 0] = [luminance(one ?? '#000'), luminance(other ?? '#000')].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  }

  test('measures contrast as WCAG does', () => {
    expect(contrast('#000', '#fff')).toBeCloseTo(21);
    expect(contrast('#777777', '#fff')).toBeCloseTo(4.48, 2);
  });

  test.each([
    ['light', colors('.clinician-button-light', 0)],
    ['dark', colors('.clinician-button-dark', 0)],
    ['auto, in dark mode', colors('.clinician-button-auto', 1)],
  ])('the button (%s) has AA contrast, also with hover and when active', (_, { face, over, down, ink }) => {
    for (const ground of [face, over, down]) expect(contrast(ink, ground)).toBeGreaterThanOrEqual(4.5);
  });

  test.each([
    ['light', colors('.clinician-page', 0)],
    ['dark', colors('.clinician-page', 1)],
  ])('the pages (%s) have AA contrast', (_, { card, ground, text, quiet, link }) => {
    for (const ink of [text, quiet, link]) expect(contrast(ink, card)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(link, ground)).toBeGreaterThanOrEqual(4.5);
  });

  test('shows the focus, and every size of the button is at least 44 pixels high', () => {
    expect(styles).toMatch(/\.clinician-button:is\(:any-link, ?button\):focus-visible/);
    const heights = [...styles.matchAll(/min-height: ?(\d+)px/g)].map(([, height]) => Number(height));
    expect(heights.length).toBeGreaterThanOrEqual(3);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
  });

  test('has only selectors of this package, and loads nothing', () => {
    const selectors = styles.replace(/\/\*.*?\*\/|:is\([^)]*\)/g, '').match(/[^{}]+(?=\{)/g) ?? [];
    expect(selectors.length).toBeGreaterThan(20);
    for (const selector of selectors.map((s) => s.trim()).filter((s) => !s.startsWith('@'))) {
      for (const one of selector.split(',')) expect(one.trim()).toMatch(/^\.clinician-/);
    }
    expect(styles).not.toMatch(/url\(|@import/);
  });
});
