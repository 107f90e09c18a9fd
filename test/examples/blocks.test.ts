import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { transformSync } from 'esbuild';
import { root } from '../architecture/imports.js';
import { snippetsOf } from '../architecture/snippets.js';
import { pages } from '../documents.js';

const run = promisify(execFile);
/** All blocks run at the same time, also on a slow machine. */
const TIMEOUT_MS = 300_000;
/** The settings of `clinicianLogin.fromEnv()`. */
const ENVIRONMENT = {
  CLINICIAN_ISSUER: 'https://auth.example',
  CLINICIAN_CLIENT_ID: 'client',
  CLINICIAN_CLIENT_SECRET: 'a-client-secret',
  CLINICIAN_API_URL: 'https://auth.example',
  APP_URL: 'https://app.example',
  SESSION_SECRET: 'dH3-kq9ZtL0vW7xR2mYbN5sPcG8fJ4uE6aT1oKiQ',
};

/** The blocks that are neither the file of an example nor in need of the reader's code, which a comment with dots stands for. */
const blocks = pages
  .filter((file) => file.startsWith('docs/'))
  .flatMap((file) => snippetsOf(file, readFileSync(join(root, file), 'utf8')))
  .filter(({ language, flags, code }) => /^[jt]s$/.test(language) && flags.length === 0 && !code.includes('// ...'))
  // Code for a page in the browser.
  .filter(({ code }) => !code.includes('location.assign('));

test(
  'each block of code in docs/ runs',
  async () => {
    expect(blocks.length).toBeGreaterThan(15);
    const failed = await Promise.all(
      blocks.map(async ({ file, code }) => {
        const program = `${transformSync(code, { loader: 'ts', format: 'esm' }).code}\nprocess.exit(0);`;
        const options = { cwd: root, env: { ...process.env, NODE_OPTIONS: '', ...ENVIRONMENT }, timeout: TIMEOUT_MS };
        const result = run(process.execPath, ['--input-type=module', '--eval', program], options);
        return await result.then(
          () => undefined,
          (error: { stderr?: string }) => `${file}: ${error.stderr}`,
        );
      }),
    );
    expect(failed.filter(Boolean)).toEqual([]);
  },
  TIMEOUT_MS,
);
