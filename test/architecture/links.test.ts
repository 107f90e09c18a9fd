import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { pages, projectFiles } from '../documents.js';
import { root } from './imports.js';

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

/** @returns each source file that a page names, in full or by the end of its path, and that does not exist. */
function missingSources(page: string, markdown: string): string[] {
  const named = withoutCode(markdown).matchAll(/`([\w./-]+\.(?:ts|eta))`/g);
  const isMissing = (name: string): boolean => !projectFiles.some((file) => `/${file}`.endsWith(`/${name}`));
  return [...named]
    .map(([, name = '']) => name)
    .filter(isMissing)
    .map((name) => `${page}: ${name}`);
}

describe('the documents', () => {
  test('each link leads to a file, and to a heading in it', () => {
    expect(pages).toContain('README.md');
    expect(pages.flatMap((page) => deadLinks(page, readPage(page) ?? '', readPage))).toEqual([]);
  });

  test.each(['errors', 'options'])('%s: each heading has its own anchor', (name) => {
    const anchors = anchorsOf(readPage(`docs/reference/${name}.md`) ?? '');
    expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([]);
  });

  test('each source file that they name exists', () => {
    expect(pages.flatMap((page) => missingSources(page, readPage(page) ?? ''))).toEqual([]);
  });

  test('docs/README.md lists each page with its title, in the section of its folder', () => {
    const [, ...sections] = (readPage('docs/README.md') ?? '').split('\n## ');
    const listed = sections.flatMap((section) => {
      const [name = ''] = section.toLowerCase().split('\n');
      return [...section.matchAll(/^- \[(.+?)\]\(((\w+)\/.+?)\)/gm)].map(([, title, page, folder]) => ({
        name,
        folder,
        title,
        page,
      }));
    });
    const expected = pages.flatMap((page) => {
      const [, name, file = ''] = /^docs\/(\w+)\/([\w-]+\.md)$/.exec(page) ?? [];
      const [, title] = /^# (.+)$/m.exec(readPage(page) ?? '') ?? [];
      return name ? [{ name, folder: name, title, page: `${name}/${file}` }] : [];
    });
    const text = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
    expect(text(listed)).toEqual(text(expected));
  });
});
