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

/**
 * Gives each cell the heading of its column, which a table that does not fit shows in place of the row of headings. Marks code
 * with long words, and short cells.
 */
export function labelTables(md) {
  md.core.ruler.push('label-tables', ({ tokens }) => {
    let labels = [];
    let cells = 0;
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'table_open') {
        const head = tokens.slice(
          index,
          tokens.findIndex(({ type }, at) => at > index && type === 'tr_close'),
        );
        labels = head.filter(({ type }) => type === 'inline').map(({ content }) => content.replaceAll('`', ''));
      }
      if (token.type === 'tr_open') cells = 0;
      if (token.type === 'td_open') token.attrSet('data-label', labels[cells++] ?? '');
      const cell = tokens[index - 1];
      if (cell?.type === 'td_open' && token.content.length <= MAX_UNBROKEN) cell.attrSet('class', 'short');
      for (const code of (token.children ?? []).filter(({ type }) => type === 'code_inline')) {
        if (code.content.split(/\s/).some((word) => word.length > MAX_WORD)) code.attrSet('class', 'long-words');
      }
    }
  });
}

/**
 * Removes the title, the introduction and the benefits from the README: they are the hero and the features of the front page.
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

/** @returns the front page of a README: its first line, its introduction and its benefits, `- **Title.** Details`. */
export function frontPage(readme) {
  const plain = (text) => text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
  const [title, text, introduction] = readme.split('\n\n');
  const benefits = [...readme.matchAll(/^- \*\*(.+?)\.\*\* (.+)$/gm)].slice(0, 3);
  if (benefits.length < 3) throw new Error('README.md has no three benefits: - **Title.** Details');
  return {
    layout: 'home',
    title: title.replace('# ', ''),
    titleTemplate: ':title',
    hero: {
      name: title.replace('# ', ''),
      text: plain(text),
      tagline: plain(introduction),
      actions: [
        { theme: 'brand', text: 'Get started', link: '/docs/start/getting-started' },
        { theme: 'alt', text: 'All pages', link: '/docs/' },
      ],
    },
    features: benefits.map(([, name, details]) => ({ title: name, details: plain(details).replace(/:$/, '.') })),
  };
}
