// Runs tests with sites on Express 4: `npm run test:express-4 -- test/integration`.
import config from '../../jest.config.mjs';

/** @type {import('jest').Config} */
export default {
  ...config,
  rootDir: '../..',
  moduleNameMapper: { ...config.moduleNameMapper, '^express$': '<rootDir>/test/express-4/express.cjs' },
};
