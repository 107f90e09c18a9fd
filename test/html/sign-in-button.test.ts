import { describe, expect, test } from '@jest/globals';
import styles from '../../lib/html/browser/styles.css?text';
import { signInButton } from '../../lib/html/sign-in-button.js';

describe('the sign-in button', () => {
  test('is a link that says what it does, and works without any script', () => {
    const button = signInButton({ href: '/auth/login' });
    expect(button).toMatch(
      /^<a class="clinician-button clinician-button-light clinician-button-medium" href="\/auth\/login">/,
    );
    expect(button).toContain('<span>Sign in as a clinician</span></a>');
  });

  test('has a mark that a screen reader passes over and the keyboard does not stop at', () => {
    expect(signInButton({ href: '/' })).toMatch(/<svg [^>]*aria-hidden="true" focusable="false">/);
  });

  test('asks for a popup in a word that a script may read', () => {
    expect(signInButton({ href: '/', display: 'popup' })).toContain(' data-clinician-display="popup">');
    expect(signInButton({ href: '/', display: 'page' })).not.toContain('data-');
  });

  test('has themes and sizes, and takes no other', () => {
    const look = { theme: 'dark', size: 'large' } as const;
    expect(signInButton({ href: '/', ...look })).toContain('clinician-button-dark clinician-button-large"');
    const odd = { theme: '"><script>', size: '__proto__' } as never;
    expect(signInButton({ href: '/', ...(odd as object) })).toContain(
      'clinician-button-light clinician-button-medium"',
    );
  });

  test('escapes its label and its address, and leads to no script (attack 158)', () => {
    const button = signInButton({ href: '/auth/login?returnTo=%2F&x="><script>', label: '<b>Go</b>' });
    expect(button).toContain('href="/auth/login?returnTo=%2F&amp;x=&quot;&gt;&lt;script&gt;"');
    expect(button).toContain('<span>&lt;b&gt;Go&lt;/b&gt;</span>');
    expect(signInButton({ href: 'javascript:alert(1)' })).toContain('href="/"');
  });

  test('has no inline style and no inline script (attack 167)', () => {
    expect(signInButton({ href: '/', display: 'popup' })).not.toMatch(/\sstyle=|\son\w+=|<style|<script/);
  });
});

describe('the stylesheet', () => {
  type Colors = Readonly<Record<string, string>>;
  /** The colors of the nth rule that sets them for a selector. */
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
    ['auto, in the dark', colors('.clinician-button-auto', 1)],
  ])(
    'writes on the button (%s) in AA contrast, pressed and under the mouse as well',
    (_, { face, over, down, ink }) => {
      for (const ground of [face, over, down]) expect(contrast(ink, ground)).toBeGreaterThanOrEqual(4.5);
    },
  );

  test.each([
    ['light', colors('.clinician-page', 0)],
    ['dark', colors('.clinician-page', 1)],
  ])('writes on the pages (%s) in AA contrast', (_, { card, ground, text, quiet, link }) => {
    for (const ink of [text, quiet, link]) expect(contrast(ink, card)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(link, ground)).toBeGreaterThanOrEqual(4.5);
  });

  test('shows the focus, and keeps every size of the button at 44 pixels or more', () => {
    expect(styles).toContain('.clinician-button:any-link:focus-visible');
    const heights = [...styles.matchAll(/min-height: ?(\d+)px/g)].map(([, height]) => Number(height));
    expect(heights.length).toBeGreaterThanOrEqual(3);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
  });

  test('names nothing that is not its own, and fetches nothing', () => {
    const selectors = styles.replace(/\/\*.*?\*\//g, '').match(/[^{}]+(?=\{)/g) ?? [];
    for (const selector of selectors.map((s) => s.trim()).filter((s) => !s.startsWith('@'))) {
      for (const one of selector.split(',')) expect(one.trim()).toMatch(/^\.clinician-/);
    }
    expect(styles).not.toMatch(/url\(|@import/);
  });
});
