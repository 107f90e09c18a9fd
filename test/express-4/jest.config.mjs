// Runs the tests of sites on Express 4: `npm run test:express-4`.
import config from '../../jest.config.mjs';

/** @type {import('jest').Config} */
export default {
  ...config,
  rootDir: '../..',
  moduleNameMapper: { ...config.moduleNameMapper, '^express$': '<rootDir>/test/express-4/express.cjs' },
  testMatch: [
    ...['integration', 'mistakes', 'passport', 'security'].map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
    '!**/*.{redis,postgres}.test.ts',
  ],
};
