import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const PACKAGE = 'passport-clinician';

/** Packs this package, and installs it in an empty project, without Express. */
export default async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'passport-clinician-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const run = (...args) =>
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [{ filename, size }] = JSON.parse(run('pack', root, '--ignore-scripts', '--json'));
  writeFileSync(join(folder, 'package.json'), '{}');
  run('install', `./${filename}`, '--ignore-scripts', '--no-audit', '--no-fund');
  const tree = JSON.parse(run('ls', '--all', '--json'));
  const modules = join(folder, 'node_modules');
  const files = readdirSync(modules, { recursive: true }).map((file) => lstatSync(join(modules, file)));
  const bytes = files.filter((file) => file.isFile()).reduce((sum, file) => sum + file.size, 0);
  execFileSync('tar', ['-czf', 'code.tgz', '--exclude', 'docs', '--exclude', 'CHANGELOG.md', PACKAGE], {
    cwd: modules,
  });
  const codeBytes = statSync(join(modules, 'code.tgz')).size;
  return {
    info: {
      packages: countPackages(tree),
      'installed MB': bytes / 1e6,
      'tarball kB': size / 1000,
      'tarball kB without docs': codeBytes / 1000,
    },
  };
}

/** @returns the number of different packages in a tree of `npm ls` */
function countPackages(tree, seen = new Set()) {
  for (const [name, entry] of Object.entries(tree.dependencies ?? {})) {
    if (entry.version === undefined) continue;
    seen.add(`${name}@${entry.version}`);
    countPackages(entry, seen);
  }
  return seen.size;
}
