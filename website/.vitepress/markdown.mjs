// What the site adds to the pages, which GitHub shows unchanged.
import { existsSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';

/** The anchors of GitHub, where the pages are read too. */
export function slugify(text) {
  return text
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/**
 * Leads links to files that are not pages, such as tests, to the repository. Removes the link while its address is unknown. A
 * README is the index page of its folder.
 *
 * @param root the folder of the repository
 * @param address its address for browsers, or undefined
 */
export function linkSources(md, root, address) {
  md.core.ruler.push('link-sources', (state) => {
    for (const { children } of state.tokens) {
      let isRemoved = false;
      for (const token of children ?? []) {
        if (token.type === 'link_close' && isRemoved) {
          Object.assign(token, { type: 'text', content: '' });
          isRemoved = false;
        }
        if (token.type !== 'link_open') continue;
        const href = token.attrGet('href');
        if (/^(?:[a-z]+:|#)/i.test(href)) continue;
        token.attrSet('href', href.replace(/\bREADME\.md(?=#|$)/, 'index.md'));
        if (/\.md(?:#|$)/.test(href)) continue;
        const file = join(dirname(state.env.realPath ?? state.env.path), href);
        if (!existsSync(file)) throw new Error(`${state.env.path}: ${href} does not exist`);
        const path = relative(root, file).split(/[\\/]/).join(posix.sep);
        isRemoved = address === undefined;
        if (isRemoved) Object.assign(token, { type: 'text', tag: '', content: '' });
        else token.attrSet('href', `${address}/blob/main/${path}`);
      }
    }
  });
}

/** Shows Mermaid diagrams. */
export function showDiagrams(md) {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index];
    if (info.trim() !== 'mermaid') return fence(tokens, index, ...rest);
    return `<MermaidDiagram source="${encodeURIComponent(content)}" />`;
  };
}

/** Shows code blocks that follow each other and have `tab=NAME` as tabs: "```ts tab=TypeScript". */
export function showTabs(md) {
  const group = /(?:^```\w+[^\n]* tab=\S[^\n]*\n[\s\S]*?\n```\n(?:\n(?=```\w+[^\n]* tab=))?)+/gm;
  md.core.ruler.after('normalize', 'tabs', (state) => {
    const named = (blocks) => blocks.replaceAll(/^(```\w+)[^\n]* tab=(\S+)[^\n]*$/gm, '$1 [$2]');
    state.src = state.src.replaceAll(group, (blocks) => `::: code-group\n${named(blocks)}\n:::\n`);
  });
}

/** Shows the points of a checklist, `- [ ] Text`, as boxes that the reader ticks. */
export function showChecklists(md) {
  md.core.ruler.push('checklists', ({ tokens, Token }) => {
    for (const [index, { children }] of tokens.entries()) {
      const item = tokens[index - 2];
      const [text] = children ?? [];
      if (item?.type !== 'list_item_open' || !text?.content.startsWith('[ ]')) continue;
      text.content = text.content.slice(3);
      item.attrJoin('class', 'point');
      const box = new Token('html_inline', '', 0);
      box.content = '<input type="checkbox" aria-label="Done">';
      children.unshift(box);
    }
  });
}

/** The longest word that a cell of a table shows on one line. */
const MAX_WORD = 28;
/** The longest text of a cell that is not broken into lines, such as a number with its unit. */
const MAX_UNBROKEN = 9;
/** A column with more empty cells than this takes no space: its cells are shown below those of the column before. */
const MAX_EMPTY = 0.5;

/**
 * Gives each cell the heading of its column, which a table that does not fit shows in place of the row of headings. Marks code
 * with long words, and short cells. Joins columns that are nearly empty with the column before.
 */
export function fitTables(md) {
  md.core.ruler.push('fit-tables', ({ tokens, Token }) => {
    const removed = new Set();
    for (const [head, ...rows] of tablesOf(tokens)) {
      for (const row of rows) for (const [column, cell] of row.entries()) markCell(cell, head[column]);
      for (const column of [...head.keys()].slice(1)) {
        const cells = rows.map((row) => row[column]);
        if (cells.filter(({ text }) => text.content === '').length <= cells.length * MAX_EMPTY) continue;
        for (const row of rows) joinCell(row, column, head[column].text, Token);
        for (const { open, text, close } of [head[column], ...cells])
          for (const token of [open, text, close]) removed.add(token);
      }
    }
    tokens.splice(0, tokens.length, ...tokens.filter((token) => !removed.has(token)));
  });
}

/** @returns the rows of each table, the headings first: each cell as its tokens. */
function tablesOf(tokens) {
  const tables = [];
  for (const [index, open] of tokens.entries()) {
    if (open.type === 'table_open') tables.push([]);
    if (open.type === 'tr_open') tables.at(-1).push([]);
    if (!/^t[hd]_open$/.test(open.type)) continue;
    tables
      .at(-1)
      .at(-1)
      .push({ open, text: tokens[index + 1], close: tokens[index + 2] });
  }
  return tables;
}

function markCell({ open, text }, heading) {
  open.attrSet('data-label', heading.text.content.replaceAll('`', ''));
  if (text.content.length <= MAX_UNBROKEN) open.attrSet('class', 'short');
  for (const code of text.children.filter(({ type }) => type === 'code_inline')) {
    if (code.content.split(/\s/).some((word) => word.length > MAX_WORD)) code.attrSet('class', 'long-words');
  }
}

/** Adds a cell to the one before it that has a place of its own, with the heading of its column. */
function joinCell(row, column, heading, Token) {
  const { text } = row[column];
  const target = row[column - 1].joined ?? row[column - 1];
  row[column].joined = target;
  if (text.content === '') return;
  const html = (content) => Object.assign(new Token('html_inline', '', 0), { content });
  target.open.attrs = target.open.attrs.filter(([name]) => name !== 'class');
  target.text.children.push(
    html('<span class="joined"><b>'),
    ...heading.children,
    html(':</b> '),
    ...text.children,
    html('</span>'),
  );
}

/**
 * Removes the title, the introduction, the picture and the benefits from the README: they are the hero and the features of the
 * front page.
 *
 * @param page the path of the page in the repository that is the front page
 */
export function removeIntroduction(md, page) {
  md.core.ruler.push('remove-introduction', (state) => {
    if (state.env.relativePath !== page) return;
    const end = state.tokens.findIndex(({ type }) => type === 'bullet_list_close');
    state.tokens.splice(0, end + 1);
  });
}

/** @returns the front page of a README: its title, its introduction and its benefits, `- **Title.** Details`. */
export function frontPage(readme) {
  const plain = (text) => text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
  const [title, introduction] = readme.split('\n\n');
  const [text, tagline] = plain(introduction).split(/(?<=\.) (.*)/s);
  const benefits = [...readme.matchAll(/^- \*\*(.+?)\.\*\* (.+)$/gm)].slice(0, 3);
  if (benefits.length < 3) throw new Error('README.md has no three benefits: - **Title.** Details');
  return {
    layout: 'home',
    title: title.replace('# ', ''),
    titleTemplate: ':title',
    hero: {
      name: title.replace('# ', ''),
      text,
      tagline,
      actions: [
        { theme: 'brand', text: 'Get started', link: '/docs/start/getting-started' },
        { theme: 'alt', text: 'All pages', link: '/docs/' },
      ],
    },
    features: benefits.map(([, name, details]) => ({ title: plain(name), details: plain(details) })),
  };
}
