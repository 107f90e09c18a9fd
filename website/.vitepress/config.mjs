import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file) => readFileSync(join(root, file), 'utf8');
const { repository, version } = JSON.parse(read('package.json'));
/** The address of the repository, set in one place: `repository` in package.json. */
const address = repository?.url.replace(/^git\+/, '').replace(/\.git$/, '');

/** The sections of docs/README.md are the sidebar, so that a new page is added in one place. */
function sidebar() {
  const [, ...sections] = read('docs/README.md').split('\n## ');
  return sections.map((section) => ({
    text: section.split('\n', 1)[0],
    items: [...section.matchAll(/\[(.+?)\]\((.+?)\)/g)].map(([, text, file]) => ({
      text,
      link: posix.join('/docs', file.replace(/(?:README)?\.md$/, '')),
    })),
  }));
}

/** The anchors of GitHub, where the pages are read too. */
function slugify(text) {
  return text
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/**
 * Leads links to files that are not pages, such as tests, to the repository. Removes the link while its address is unknown. A
 * README is the index page of its folder.
 */
function linkSources(md) {
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
function showDiagrams(md) {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index];
    if (info.trim() !== 'mermaid') return fence(tokens, index, ...rest);
    return `<MermaidDiagram source="${encodeURIComponent(content)}" />`;
  };
}

/** Node resolves the imports of the server build, because the pages are outside of this folder, which has the packages. */
const vueOfThisFolder = {
  name: 'vue-of-this-folder',
  enforce: 'pre',
  resolveId: (source, _importer, { ssr }) =>
    ssr && /^vue(?:\/|$)/.test(source) ? { id: source, external: true } : undefined,
};

export default defineConfig({
  title: 'passport-clinician',
  description: JSON.parse(read('package.json')).description,
  lang: 'en',
  srcDir: '..',
  srcExclude: ['test/**', 'website/**', 'scripts/**', 'lib/**'],
  outDir: 'dist',
  rewrites: { 'README.md': 'index.md', ':path(.*)/README.md': ':path/index.md' },
  cleanUrls: false,
  lastUpdated: false,
  markdown: {
    anchor: { slugify },
    toc: { slugify },
    headers: { slugify },
    config: (md) => {
      linkSources(md);
      showDiagrams(md);
    },
  },
  vite: {
    plugins: [vueOfThisFolder],
    build: { chunkSizeWarningLimit: 3000 }, // Mermaid, which only pages with a diagram load
  },
  themeConfig: {
    nav: [{ text: `Version ${version}`, link: '/CHANGELOG' }],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    ...(address && { socialLinks: [{ icon: 'github', link: address }] }),
  },
});
