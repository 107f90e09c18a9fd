import { readFileSync } from 'node:fs';

const { paths } = JSON.parse(readFileSync(new URL('tsconfig.json', import.meta.url), 'utf8')).compilerOptions;
const entries = Object.entries(paths)
  .filter(([name]) => name.startsWith('passport-clinician'))
  .map(([name, [file]]) => [`^${name}$`, file.replace('.', '<rootDir>')]);

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/scripts/test-environment.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/helpers/printed.ts'],
  extensionsToTreatAsEsm: ['.ts', '.css'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' } },
    ],
    '/browser/[^/]+\\.(?:js|css)$': '<rootDir>/scripts/embed-text.mjs',
  },
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^supertest$': '<rootDir>/test/helpers/supertest.ts',
    ...Object.fromEntries(entries),
  },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/example-app/build/'],
  reporters: ['default', '<rootDir>/scripts/summary-reporter.mjs'],
  testTimeout: 120_000, // for a slow machine
  maxWorkers: 4, // on two cores: many tests wait for a browser, a server or another process
  testSequencer: '<rootDir>/scripts/test-sequencer.mjs',
  workerIdleMemoryLimit: '1GB', // Node 20 never frees the modules of a finished file
  // A worker takes up to a second to give back its memory on a busy machine. A client of `redis` that was ended
  // while it waits to connect again waits up to 2.2 s.
  workerGracefulExitTimeout: 5_000,
};
