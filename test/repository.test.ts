import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { root } from './architecture/imports.js';
import { expectSection } from './documents.js';

interface Manifest {
  repository?: { url: string };
}

/** @returns the commands that start the reference site, for a clone if `repository` in package.json has its address. */
function cloneCommands({ repository }: Manifest): string {
  const address = repository?.url.replace(/^git\+/, '');
  return address
    ? `\`\`\`sh\ngit clone ${address} passport-clinician\ncd passport-clinician\nnpm ci && npm start\n\`\`\`\n`
    : 'In a clone of this repository, run `npm ci && npm start` instead.\n';
}

test('the README has the address of the repository from package.json', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  expectSection('README.md', 'clone', cloneCommands(manifest), 'npm run docs:repository');
});
