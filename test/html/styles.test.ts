import { describe, expect, test } from '@jest/globals';
import styles from '../../lib/html/browser/styles.css?text';

describe('the stylesheet', () => {
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
