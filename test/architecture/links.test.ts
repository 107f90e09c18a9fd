import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from './imports.js';

const pages = execFileSync('git', ['ls-files', '-z', '*.md'], { cwd: root }).toString().split('\0').filter(Boolean);

function withoutCode(markdown: string): string {
  return markdown.replace(/^(`{3,})[\s\S]*?^\1/gm, '');
}

/** The fragments that a page can be linked by: its headings in GitHub's spelling. */
function anchorsOf(markdown: string): string[] {
  const headings = withoutCode(markdown).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** @returns each link of a page to a file or a heading that does not exist. */
function deadLinks(page: string, markdown: string, read: (file: string) => string | undefined): string[] {
  const targets = withoutCode(markdown).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g);
  return [...targets]
    .filter(([, path = '', anchor]) => {
      const file = path === '' ? page : join(dirname(page), path);
      const text = file === page ? markdown : read(file);
      if (text === undefined) return true;
      return anchor !== undefined && !anchorsOf(text).includes(anchor);
    })
    .map(([link]) => `${page}: ${link}`);
}

function readPage(file: string): string | undefined {
  if (!existsSync(join(root, file))) return undefined;
  return file.endsWith('.md') ? readFileSync(join(root, file), 'utf8') : '';
}

describe('links between the documents', () => {
  test('each link leads to a file, and to a heading in it', () => {
    expect(pages).toContain('README.md');
    expect(pages.flatMap((page) => deadLinks(page, readPage(page) ?? '', readPage))).toEqual([]);
  });

  test('a missing file and a missing heading are found', () => {
    const page = '# A page\n[a](b.md) [b](c.md#what-it-is) [c](c.md#nothing) [d](#a-page) [e](https://a.example/x)\n';
    const files: Record<string, string> = { 'docs/c.md': '## What it is\n' };
    expect(deadLinks('docs/a.md', page, (file) => files[file])).toEqual([
      'docs/a.md: ](b.md)',
      'docs/a.md: ](c.md#nothing)',
    ]);
  });
});
