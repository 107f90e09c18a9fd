import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../architecture/imports.js';

/** Every file of the repository that is not ignored: also one that is not added yet, and none that is deleted. */
export const projectFiles: readonly string[] = execFileSync(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
  { cwd: root, encoding: 'utf8' },
)
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(root, file)));

/** The documents of the repository. */
export const pages: readonly string[] = projectFiles.filter((file) => file.endsWith('.md'));
