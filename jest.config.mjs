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
    '^passport-clinician$': '<rootDir>/lib/index.ts',
    '^passport-clinician/redis$': '<rootDir>/lib/redis.ts',
    '^passport-clinician/postgres$': '<rootDir>/lib/postgres.ts',
    '^passport-clinician/mock-provider$': '<rootDir>/lib/mock-provider/mock-provider.ts',
    '^passport-clinician/testing$': '<rootDir>/lib/testing/testing.ts',
  },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/example-app/build/'],
  reporters: ['default', '<rootDir>/scripts/summary-reporter.mjs'],
  testTimeout: 120_000, // for a slow machine
  maxWorkers: 4, // on two cores: many tests wait for a browser, a server or another process
  testSequencer: '<rootDir>/scripts/test-sequencer.mjs',
  workerIdleMemoryLimit: '1GB', // Node 20 never frees the modules of a finished file
};
