import { describe, expect, test } from '@jest/globals';
import { expectSection } from '../helpers/generated-document.js';
import { referenceProblem } from '../helpers/test-names.js';
import { ADVISORIES } from './points/advisories.js';
import { PARTIES } from './points/point.js';
import { DOCUMENTS, requirementsSection } from './security-document.js';

const points = DOCUMENTS.flatMap(([, , sections]) => sections.flatMap(([, one]) => one));
const advisories = ADVISORIES.flatMap(([, one]) => one);

const isSentence = (text: string): boolean => /^\S.*[^.]\.$/.test(text) && !/\s{2}/.test(text);
const problemsOf = (name: string, references: readonly string[]): string[] =>
  references.flatMap((reference) => {
    const problem = referenceProblem(reference);
    return problem === undefined ? [] : `${name} ${problem}`;
  });

test('docs/security.md contains each point and each advisory', () => {
  expectSection('docs/security.md', 'requirements', requirementsSection(), 'npm run docs:security');
});

describe('a point', () => {
  test('is one sentence of at most 30 words, and occurs once in its document', () => {
    expect(points.length).toBeGreaterThan(80);
    const all = points.map(({ requirement }) => requirement);
    expect(all.filter((text) => !isSentence(text) || text.split(' ').length > 30)).toEqual([]);
    for (const [, , sections] of DOCUMENTS) {
      const own = sections.flatMap(([, one]) => one.map(({ requirement }) => requirement));
      expect(own.filter((text, index) => own.indexOf(text) !== index)).toEqual([]);
    }
  });

  test('has a measure with a test, a reason, or what the site must do', () => {
    const isMet = (point: (typeof points)[number]) =>
      PARTIES.some((party) => point[party]) || point.reason !== undefined || point.site !== undefined;
    expect(points.filter((point) => !isMet(point))).toEqual([]);
    const texts = points.flatMap((one) => [...PARTIES.map((party) => one[party]?.[0]), one.site, one.reason]);
    expect(texts.filter((text) => text !== undefined && !isSentence(text))).toEqual([]);
  });

  test('names tests that exist', () => {
    const named = points.flatMap((point) =>
      problemsOf(
        point.requirement,
        PARTIES.flatMap((party) => point[party]?.slice(1) ?? []),
      ),
    );
    expect(named).toEqual([]);
  });
});

describe('an advisory', () => {
  test('has identifiers that no other one has, and a sentence', () => {
    expect(advisories.length).toBeGreaterThan(35);
    const ids = advisories.flatMap((one) => one.ids);
    expect(ids.filter((id) => !/^(CVE-\d{4}-\d{4,}|GHSA(-[23456789cfghjmpqrvwx]{4}){3})$/.test(id))).toEqual([]);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(advisories.filter(({ fault }) => !isSentence(fault))).toEqual([]);
  });

  test('names tests that exist', () => {
    expect(advisories.flatMap(({ ids, tests }) => problemsOf(ids[0], tests))).toEqual([]);
  });
});
