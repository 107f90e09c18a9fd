import { describe, expect, test } from '@jest/globals';
import { expectSection } from '../helpers/generated-document.js';
import { referenceProblem } from '../helpers/test-names.js';
import { PARTIES } from './points/point.js';
import { requirementsSection, SECTIONS } from './security-document.js';

const points = SECTIONS.flatMap(([, one]) => one);

const isSentence = (text: string): boolean => /^\S.*[^.]\.$/.test(text) && !/\s{2}/.test(text);

test('docs/assurance/security.md contains each point of RFC 9700', () => {
  expectSection('docs/assurance/security.md', 'requirements', requirementsSection(), 'npm run docs:security');
});

describe('a point', () => {
  test('is one sentence of at most 30 words, and occurs once', () => {
    expect(points.length).toBeGreaterThan(50);
    const all = points.map(({ requirement }) => requirement);
    expect(all.filter((text) => !isSentence(text) || text.split(' ').length > 30)).toEqual([]);
    expect(all.filter((text, index) => all.indexOf(text) !== index)).toEqual([]);
  });

  test('has a measure with a test, a reason, or what the site must do', () => {
    const isMet = (point: (typeof points)[number]) =>
      PARTIES.some((party) => point[party]) || point.reason !== undefined || point.site !== undefined;
    expect(points.filter((point) => !isMet(point))).toEqual([]);
    const texts = points.flatMap((one) => [...PARTIES.map((party) => one[party]?.[0]), one.site, one.reason]);
    expect(texts.filter((text) => text !== undefined && !isSentence(text))).toEqual([]);
  });

  test('names tests that exist', () => {
    const references = points.flatMap((point) => PARTIES.flatMap((party) => point[party]?.slice(1) ?? []));
    expect(references.flatMap((reference) => referenceProblem(reference) ?? [])).toEqual([]);
  });
});
