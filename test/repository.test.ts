import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { root } from './architecture/imports.js';
import { expectSection } from './helpers/generated-document.js';

interface Manifest {
  repository?: { url: string };
}

/** @returns the commands that copy the repository. Its address is set in one place, `repository` in package.json. */
function cloneCommands({ repository }: Manifest): string {
  const address = repository?.url.replace(/^git\+/, '') ?? 'REPOSITORY';
  const explanation = repository ? '' : '\n`REPOSITORY` is the address of this repository.\n';
  return `\`\`\`sh
git clone ${address} passport-clinician
cd passport-clinician
npm ci && npm start
\`\`\`
${explanation}`;
}

test('the README has the address of the repository from package.json', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  expectSection('README.md', 'clone', cloneCommands(manifest), 'npm run docs:repository');
});
