import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { describeBuilt } from '../cli/program.js';

const file = fileURLToPath(new URL('failing-test.mjs', import.meta.url));

describeBuilt('a failed test of node:test', () => {
  test('prints the requests of the mock provider', () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=spec', file], { env });
    const output = String(stdout);
    expect(output).toContain('request 1, /oauth/token: invalid_request');
    // The reporter spec may print a failure twice.
    expect(output.match(/sequenceDiagram/g)?.length).toBe(output.match(/400 !== 200/g)?.length);
  });
});
