import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { root } from './imports.js';

interface Figures {
  files: number;
  functions: number;
  calls: number;
}

/** How much of the relying party runs in each flow, from `npm run trace`. Lower these figures when a change lowers them. */
const FIGURES: Record<string, Figures> = {
  callback: { files: 59, functions: 322, calls: 979 },
  refresh: { files: 39, functions: 204, calls: 471 },
  profile: { files: 38, functions: 159, calls: 324 },
  guard: { files: 11, functions: 39, calls: 43 },
};

test('no flow runs more files, functions or calls than recorded', async () => {
  const script = join(root, 'scripts/trace.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--json'], { cwd: root });
  const measured = JSON.parse(stdout) as Record<string, Figures>;
  expect(Object.keys(measured)).toEqual(Object.keys(FIGURES));
  const grown = Object.entries(FIGURES).flatMap(([flow, figures]) =>
    (['files', 'functions', 'calls'] as const)
      .filter((figure) => !((measured[flow]?.[figure] ?? 0) <= figures[figure]))
      .map((figure) => `${flow}: ${measured[flow]?.[figure]} ${figure}, recorded are ${figures[figure]}`),
  );
  expect(grown).toEqual([]);
});
