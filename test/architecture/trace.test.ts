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
  callback: { files: 61, functions: 329, calls: 1007 },
  refresh: { files: 41, functions: 210, calls: 511 },
  profile: { files: 40, functions: 164, calls: 335 },
  guard: { files: 12, functions: 39, calls: 46 },
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
