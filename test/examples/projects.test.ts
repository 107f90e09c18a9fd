import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Projects } from '../package/packed.js';
import { exampleProjects } from './example-projects.js';

let projects: Projects;
beforeAll(async () => {
  projects = await exampleProjects(['vitest']);
});
afterAll(() => projects?.remove());

describe('the projects in docs/ run unchanged', () => {
  test('jest without configuration', async () => {
    expect(await projects.bin('jest', 'jest/bin/jest.js', '--testTimeout=60000')).toContain('4 passed, 4 total');
  });

  test('vitest', async () => {
    const slowMachine = ['--testTimeout=60000', '--hookTimeout=60000', '--teardownTimeout=60000'];
    expect(await projects.bin('vitest', 'vitest/vitest.mjs', 'run', ...slowMachine)).toMatch(/Tests .*5 passed/);
  });

  test('node:test', async () => {
    const output = await projects.run('node-test', '--test');
    expect(output).toMatch(/pass 3\n/);
    expect(output).toMatch(/fail 0\n/);
  });

  test('a token store of your own', async () => {
    expect(await projects.run('token-store', '--test')).toMatch(/pass 1\n/);
  });
});
