import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import {
  fitTables,
  frontPage,
  linkSources,
  removeIntroduction,
  showChecklists,
  showDiagrams,
  showTabs,
  slugify,
} from './markdown.mjs';
import { searchOptions } from './search.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file) => readFileSync(join(root, file), 'utf8');
const { description, repository, version } = JSON.parse(read('package.json'));
/** The address of the repository, set in one place: `repository` in package.json. */
const address = repository?.url.replace(/^git\+/, '').replace(/\.git$/, '');
const logo = `data:image/svg+xml,${encodeURIComponent(read('example-app/public/icon.svg').trim())}`;

/** The page that `npm run api` writes from the TSDoc of the public names; it is not in git. */
const API = { text: 'API', link: '/docs/reference/api' };

/** The sections of docs/README.md are the sidebar, so that a new page is added in one place. The section of the page is open. */
function sidebar() {
  const [, ...sections] = read('docs/README.md').split('\n## ');
  return sections.map(sidebarGroup).map((group) => ({
    ...group,
    items: group.text === 'Reference' ? [...group.items, API] : group.items,
    collapsed: true,
  }));
}

/** @returns the links of a section. */
function sidebarGroup(section) {
  const items = [...section.matchAll(/\[(.+?)\]\((.+?)\)/g)].map(([, title, file]) => ({
    text: title.split(':')[0],
    link: posix.join('/docs', file.replace(/(?:README)?\.md$/, '')),
  }));
  return { text: section.split('\n', 1)[0], items };
}

/** Node resolves the imports of the server build, because the pages are outside of this folder, which has the packages. */
const vueOfThisFolder = {
  name: 'vue-of-this-folder',
  enforce: 'pre',
  resolveId: (source, _importer, { ssr }) =>
    ssr && /^vue(?:\/|$)/.test(source) ? { id: source, external: true } : undefined,
};

// VitePress, because it reads the pages of the repository unchanged, without front matter, with GitHub's anchors and links between
// folders, and fails for a link to a missing page. Starlight needs front matter; TypeDoc is for an API.
export default defineConfig({
  title: 'passport-clinician',
  description,
  lang: 'en',
  srcDir: '..',
  srcExclude: ['test/**', 'website/**', 'scripts/**', 'lib/**'],
  outDir: 'dist',
  rewrites: { 'README.md': 'index.md', ':path(.*)/README.md': ':path/index.md' },
  cleanUrls: false,
  lastUpdated: false,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: logo }]],
  transformPageData: (page) => {
    if (page.relativePath === 'index.md') Object.assign(page.frontmatter, frontPage(read('README.md')));
    // Each option and each code has a heading: too many for an outline.
    if (/reference\/(?:options|errors)\.md$/.test(page.relativePath)) page.frontmatter.outline = 2;
  },
  markdown: {
    anchor: { slugify },
    toc: { slugify },
    headers: { slugify },
    config: (md) => {
      linkSources(md, root, address);
      showDiagrams(md);
      showTabs(md);
      showChecklists(md);
      fitTables(md);
      removeIntroduction(md, 'index.md');
    },
  },
  vite: {
    plugins: [vueOfThisFolder],
    build: { chunkSizeWarningLimit: 3000 }, // Mermaid, which only pages with a diagram load
  },
  themeConfig: {
    logo,
    nav: [
      { text: 'Guides', link: '/docs/start/getting-started', activeMatch: '/docs/(start|use|test|operate)/' },
      { text: 'Reference', link: '/docs/reference/options', activeMatch: '/docs/reference/' },
      { text: `Version ${version}`, link: '/CHANGELOG' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local', options: { detailedView: true, miniSearch: { searchOptions } } },
    ...(address && {
      socialLinks: [{ icon: 'github', link: address }],
      editLink: { pattern: `${address}/edit/main/:path`, text: 'Edit this page' },
    }),
  },
});
