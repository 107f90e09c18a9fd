// Builds the package that the release workflow publishes: `npm run release`. It contains a copy of the packed files, with absolute
// links in the README, and without the scripts of the repository.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @param {{ repository?: { url?: string }, homepage?: string, bugs?: unknown }} manifest package.json
 * @returns the address of the repository for browsers, without a slash at the end. Throws while it is not set
 */
export function repositoryAddress({ repository }) {
  const address = /^(?:git\+)?(https:\/\/[^\s]+?)(?:\.git|\/)?$/.exec(repository?.url ?? '')?.[1];
  if (address) return address;
  throw new Error(
    'Not published: the address of the repository is not set. Add "repository": { "type": "git", "url": "git+https://..." } to package.json, then run npm run docs:repository.',
  );
}

/** @returns package.json as it is published: with the addresses that follow from the repository, without scripts. */
export function publishedManifest(manifest) {
  const address = repositoryAddress(manifest);
  const { scripts: _, devDependencies: __, ...published } = manifest;
  return { homepage: `${address}#readme`, bugs: { url: `${address}/issues` }, ...published };
}

/** @returns the README with absolute links to the files of this version, also of images in HTML. */
export function absoluteLinks(markdown, manifest) {
  const to = (kind) => `${repositoryAddress(manifest)}/${kind}/v${manifest.version}/`;
  return markdown
    .replaceAll(/(?<=!\[[^\]]*\]\(|\b(?:src|srcset)=")(?![a-z]+:|#)/g, to('raw'))
    .replaceAll(/(?<=(?<!!)\[[^\]]*\]\()(?![a-z]+:|#)/g, to('blob'));
}

/** Throws if the changelog has no date for this version. */
export function checkChangelog(changelog, { version }) {
  const isDated = changelog
    .split('\n')
    .some((line) => /^## \S+ - \d{4}-\d\d-\d\d$/.test(line) && line.startsWith(`## ${version} - `));
  if (!isDated)
    throw new Error(
      `Not published: CHANGELOG.md has no heading "## ${version} - YYYY-MM-DD" with the date of the release.`,
    );
}

function run(command, args, options = {}) {
  return execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options });
}

function buildPackage() {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  repositoryAddress(manifest);
  checkChangelog(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), manifest);
  if (run('git', ['status', '--porcelain']) !== '') throw new Error('Not published: commit the changes first.');
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  try {
    run('npm', ['run', 'build'], { stdio: 'inherit' });
    run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]);
    run('tar', ['-xzf', join(folder, readdirSync(folder)[0]), '-C', folder]);
    const packed = join(folder, 'package');
    writeFileSync(join(packed, 'package.json'), `${JSON.stringify(publishedManifest(manifest), undefined, 2)}\n`);
    const readme = join(packed, 'README.md');
    writeFileSync(readme, absoluteLinks(readFileSync(readme, 'utf8'), manifest));
    run('npm', ['pack', packed, '--ignore-scripts'], { stdio: 'inherit' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    buildPackage();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
