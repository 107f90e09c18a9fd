// The output of a test that fails, with the requests that the provider received, and of `doctor`.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { terminalSVG, withPorts } from './page.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const CLI = join(root, 'dist/cli.cjs');

/** @returns what a program prints, also if it fails. */
function outputOf(args, env, cwd = root) {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env, cwd }, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
}

/** Runs a test of the guide, at a site with a wrong client secret. The folder is in the repository, which has the packages. */
async function failedTest() {
  const artifacts = join(root, 'test-artifacts');
  mkdirSync(artifacts, { recursive: true });
  const folder = mkdtempSync(join(artifacts, 'failed-test-'));
  try {
    const site = readFileSync(join(root, 'test/examples/node-test/site.js'), 'utf8');
    writeFileSync(join(folder, 'site.js'), site.replace('clients.openid.clientSecret', "'not the registered one'"));
    copyFileSync(join(root, 'test/examples/jest/site.test.js'), join(folder, 'site.test.js'));
    const jest = [join(root, 'node_modules/jest/bin/jest.js'), '--rootDir', folder, '--config', '{"transform":{}}'];
    const nodeOptions = ['--experimental-vm-modules', '--no-warnings'];
    const printed = await outputOf([...nodeOptions, ...jest, '-t', 'a verified clinician reads'], {}, folder);
    return printed
      .slice(0, printed.indexOf('\nTest Suites:'))
      .replaceAll(/\n +(?:at |----\n).*|\n.*skipped.*| \(\d+ ms\)/g, '')
      .replaceAll(/\n{3,}/g, '\n\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function terminals({ env, issuer }) {
  const mistake = { ...env, CLINICIAN_CLIENT_SECRET: 'not the registered one' };
  const [doctor, test] = await Promise.all([outputOf([CLI, 'doctor'], mistake), failedTest()]);
  return [
    { file: 'doctor.svg', svg: terminalSVG(withPorts(`$ npx passport-clinician doctor\n${doctor}`, issuer)) },
    { file: 'failed-test.svg', svg: terminalSVG(`$ npx jest\n${test}`) },
  ];
}
