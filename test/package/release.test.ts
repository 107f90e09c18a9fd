import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../architecture/imports.js';

interface Manifest {
  version: string;
  repository?: { type: string; url: string };
  homepage?: string;
  bugs?: { url: string };
  scripts?: object;
}

interface Job {
  permissions?: Record<string, string>;
  steps: { run?: string; uses?: string }[];
}

interface Release {
  repositoryAddress(manifest: Manifest): string;
  publishedManifest(manifest: Manifest): Manifest;
  absoluteLinks(markdown: string, manifest: Manifest): string;
  checkChangelog(changelog: string, manifest: Manifest): void;
}

const script = join(root, 'scripts', 'release.mjs');
const { repositoryAddress, publishedManifest, absoluteLinks, checkChangelog } = (await import(script)) as Release;
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const own = JSON.parse(read('package.json')) as Manifest;
const manifest: Manifest = { ...own, repository: { type: 'git', url: 'git+https://code.example/a/b.git' } };

test('without the address of the repository nothing is published, and the message says where to set it', () => {
  const { repository: _, ...without } = manifest;
  expect(() => repositoryAddress(without)).toThrow('Add "repository": { "type": "git", "url": "git+https://..." }');
  for (const url of ['', 'REPOSITORY', 'http://code.example/a', 'git@code.example:a/b.git'])
    expect(() => repositoryAddress({ ...manifest, repository: { type: 'git', url } })).toThrow('Not published');
  if (own.repository) return;
  expect(() => execFileSync(process.execPath, [script], { stdio: 'pipe' })).toThrow('Not published');
});

test('the published manifest has the addresses that follow from the repository, and no scripts', () => {
  expect(publishedManifest(manifest)).toMatchObject({
    homepage: 'https://code.example/a/b#readme',
    bugs: { url: 'https://code.example/a/b/issues' },
    repository: manifest.repository,
  });
  expect(publishedManifest(manifest)).not.toHaveProperty('scripts');
  expect(publishedManifest({ ...manifest, homepage: 'https://docs.example' }).homepage).toBe('https://docs.example');
});

test('every link and image of the published README is absolute, and has the version', () => {
  const readme = absoluteLinks(read('README.md'), manifest);
  const links = [...readme.matchAll(/\]\(([^)]+)\)| (?:src|srcset)="([^"]+)"/g)].map(
    ([, link, image]) => link ?? image,
  );
  expect(links.filter((link) => !link?.startsWith('https://'))).toEqual([]);
  expect(links).toContain(`https://code.example/a/b/raw/v${own.version}/docs/images/sign-in.png`);
  expect(links).toContain(`https://code.example/a/b/blob/v${own.version}/docs/start/getting-started.md`);
  expect(absoluteLinks('[a](https://a.example) [b](#c)', manifest)).toBe('[a](https://a.example) [b](#c)');
});

test('a version without a date in the changelog is not published', () => {
  expect(() => checkChangelog(`## ${own.version} - not released\n`, manifest)).toThrow('CHANGELOG.md has no heading');
  expect(() => checkChangelog(`## 1${own.version} - 2026-11-22\n`, manifest)).toThrow('CHANGELOG.md has no heading');
  expect(() => checkChangelog(`## ${own.version} - 2026-11-22\n`, manifest)).not.toThrow();
  expect(read('CHANGELOG.md')).toContain(`\n## ${own.version} - `);
});

test('a job that may publish installs and runs nothing of the repository', () => {
  const { jobs } = parse(read('.github/workflows/release.yml')) as { jobs: Record<string, Job> };
  const isPublishing = ({ permissions = {} }: Job) => Object.values(permissions).includes('write');
  const commands = Object.values(jobs)
    .filter(isPublishing)
    .flatMap(({ steps }) => steps.map(({ run, uses }) => run ?? String(uses).split('@')[0]));
  expect(commands.map((command) => command?.split(' ').slice(0, 3).join(' '))).toEqual([
    'actions/setup-node',
    'actions/download-artifact',
    'npm publish ./*.tgz',
    'gh release create',
  ]);
  const builds = Object.entries(jobs).filter(([, job]) => !isPublishing(job));
  expect(builds.map(([name, { permissions }]) => [name, permissions])).toEqual([['build', undefined]]);
  expect(jobs.publish).toMatchObject({ needs: 'build', environment: 'release' });
});

test.each(['ci', 'release'])(
  'the actions of the workflow %s are pinned by a commit, and its permissions are listed',
  (name) => {
    const text = read(`.github/workflows/${name}.yml`);
    const uses = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
    expect(uses).not.toEqual([]);
    expect(uses.filter((action) => !/^actions\/[\w-]+@[0-9a-f]{40}$/.test(action ?? ''))).toEqual([]);
    expect(parse(text)).toMatchObject({ permissions: {} });
  },
);
