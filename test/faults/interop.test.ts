import { beforeAll, expect, test } from '@jest/globals';
import { FAULTS } from '../../lib/mock-provider/mock-provider.js';
import { expectSection } from '../helpers/generated-document.js';
import { interopSection } from './document/interop.js';
import { type Column, compareAll } from './interop/compare.js';
import { EXCHANGE_TRIALS, FORGERY_TRIALS, UNTRIED } from './interop/trials.js';

const forgeries = Object.values(FORGERY_TRIALS).flat();

let columns: Column[];
beforeAll(async () => {
  columns = await compareAll();
}, 600_000);

test('each fault is tried with other libraries or has a documented reason', () => {
  const tried = [...forgeries, ...Object.values(EXCHANGE_TRIALS).flat()].map(({ fault }) => fault as string);
  const missing = Object.keys(FAULTS).filter((name) => !tried.includes(name) && !Object.hasOwn(UNTRIED, name));
  expect(missing.map((name) => `fault ${name} has no entry in test/faults/interop/trials.ts`)).toEqual([]);
  expect(tried.filter((name) => Object.hasOwn(UNTRIED, name))).toEqual([]);
});

test('a site of this package refuses each fault that may be refused and accepts each that must be accepted', () => {
  const own = columns[0] as Column;
  const unexpected = forgeries.flatMap((trial) => {
    const { fault, rule } = trial;
    const response = rule === 'must accept' ? 'signed in' : 'refused';
    // This package does not request userinfo.
    const expected = FAULTS[fault].kind === 'userinfo' ? 'not requested' : response;
    const outcome = own.get(trial)?.outcome;
    return outcome === expected ? [] : [`${fault} (${rule}): ${outcome}`];
  });
  expect(unexpected).toEqual(['wrongScope (may accept): signed in']);
});

test('docs/faults.md contains the outcomes at other libraries', () => {
  expectSection('docs/faults.md', 'interop', interopSection(columns), 'npm run docs:faults');
});
