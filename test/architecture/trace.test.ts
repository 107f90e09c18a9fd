import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { root } from './imports.js';

type Figures = Record<string, number>;

/** How much of the relying party a flow runs at most, as the design wants it. */
const GOALS: Record<string, Figures> = {
  callback: { files: 40, functions: 220, calls: 450, 'look-ups of the login': 2 },
  refresh: { functions: 150, 'look-ups of the login': 1 },
  profile: { functions: 130, 'look-ups of the login': 1 },
  guard: { functions: 32, 'look-ups of the login': 1 },
  'sign-out': { functions: 130, 'look-ups of the login': 2 },
};

/** What `npm run trace` measures. Lower these figures when a change lowers them. */
const REACHED: Record<string, Figures> = {
  callback: { files: 40, functions: 217, calls: 363 },
  refresh: { files: 29, functions: 143, calls: 234 },
  profile: { files: 27, functions: 108, calls: 147 },
  guard: { files: 11, functions: 30, calls: 36 },
  'sign-out': { files: 33, functions: 122, calls: 174 },
};

const REMEDY =
  'See what the flow runs: npm run trace -- --functions. Use an existing function, or remove a call that is not needed. If the new one is, merge another with its caller in the same change.';

test('no flow runs more files, functions or calls than its goal, or than reached while that is above the goal', async () => {
  const script = join(root, 'scripts/trace.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--json'], { cwd: root });
  const measured = JSON.parse(stdout) as Record<string, Figures>;
  expect(Object.keys(measured)).toEqual(Object.keys(GOALS));
  const grown = Object.entries(GOALS).flatMap(([flow, goals]) => {
    const reached = REACHED[flow] ?? {};
    return Object.keys({ ...reached, ...goals })
      .map((name) => ({ name, limit: Math.max(goals[name] ?? 0, reached[name] ?? 0) }))
      .filter(({ name, limit }) => !((measured[flow]?.[name] ?? Number.NaN) <= limit))
      .map(({ name, limit }) => `${flow}: ${measured[flow]?.[name]} ${name}, the limit is ${limit}`);
  });
  if (grown.length > 0) throw new Error(`${grown.join('\n')}\n${REMEDY}`);
});
