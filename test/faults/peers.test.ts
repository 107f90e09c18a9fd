import { beforeAll, expect, test } from '@jest/globals';
import { FAULTS } from '../../lib/mock-provider/mock-provider.js';
import { write, written } from './document/markers.js';
import { peersSection } from './document/peers.js';
import { type Column, compareAll } from './peers/compare.js';
import { FORGERIES, LEFT_OUT, WIRE } from './peers/trials.js';

const forgeries = Object.values(FORGERIES).flat();

let columns: Column[];
beforeAll(async () => {
  columns = await compareAll();
  if (process.env.WRITE_GENERATED) write('peers', peersSection(columns));
}, 180_000);

test('each fault of the catalogue is tried on the peers, or left out for a reason', () => {
  const tried = [...forgeries, ...Object.values(WIRE).flat()].map(({ fault }) => fault as string);
  const known = [...tried, ...Object.keys(LEFT_OUT)];
  expect(Object.keys(FAULTS).filter((name) => !known.includes(name))).toEqual([]);
  expect(tried.filter((name) => Object.hasOwn(LEFT_OUT, name))).toEqual([]);
});

test('our own site signs nothing in that may be refused, and all that must be accepted', () => {
  const own = columns[0] as Column;
  const wrong = forgeries.filter((trial) => {
    const what = own.get(trial)?.what;
    return trial.rule === 'must accept' ? what !== 'signed in' : what !== 'refused' && what !== 'not asked';
  });
  expect(wrong.map(({ fault }) => fault)).toEqual(['wrongScope']);
});

test('docs/faults.md says what comes of the faults at the peers: npm run docs:faults', () => {
  expect(written('peers')).toBe(peersSection(columns));
});
