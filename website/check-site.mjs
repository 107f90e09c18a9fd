// Checks the built site: each link and image of a page leads to a file of the site, and each fragment to an element in it. The
// front page and a guide have what the configuration adds to the pages. A search for a subject finds its page first.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import MiniSearch from 'minisearch';
import { searchOptions } from './.vitepress/search.mjs';

const site = fileURLToPath(new URL('dist', import.meta.url));
const pages = readdirSync(site, { recursive: true }).filter((file) => file.endsWith('.html'));
const contents = new Map(pages.map((page) => [page, readFileSync(join(site, page), 'utf8')]));
const idsOf = new Map(
  [...contents].map(([page, html]) => [page, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))]),
);

/** @returns why a link of a page is dead, or undefined. */
function problemOf(page, href) {
  if (/^(?:[a-z]+:|\/\/)/i.test(href)) return undefined;
  const [path, fragment] = href.split('#');
  const base = path.startsWith('/') ? site : dirname(join(site, page));
  const file = path === '' ? page : relative(site, join(base, decodeURI(path)));
  const target = [file, join(file, 'index.html')].find((one) => idsOf.has(one));
  if (!target) return existsSync(join(site, file)) && file !== '' ? undefined : 'no such file';
  if (!fragment || idsOf.get(target).has(decodeURIComponent(fragment))) return undefined;
  return 'no such heading';
}

const dead = [...contents].flatMap(([page, html]) =>
  [...html.matchAll(/<(?:a|img|link|script)\b[^>]*?\s(?:href|src)="([^"]+)"/g)].flatMap(([, href]) => {
    const problem = problemOf(page, href.replaceAll('&amp;', '&'));
    return problem ? [`${page}: ${href}: ${problem}`] : [];
  }),
);
const { repository } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const count = (page, pattern) => contents.get(page)?.match(pattern)?.length ?? 0;
const GUIDE = 'docs/start/getting-started.html';
const CHECKLIST = 'docs/operate/checklist.html';
const parts = {
  'three benefits on the front page': count('index.html', /<article class="box"/g) === 3,
  'the picture on the front page': count('index.html', /<img[^>]* alt="A sign-in: /g) === 2,
  'a tab for each of two languages': count(GUIDE, /<label data-title="(?:JavaScript|TypeScript)"/g) === 2,
  'a box for each point of the checklist':
    count(CHECKLIST, /<input type="checkbox"/g) > 9 && count(CHECKLIST, /\[ \]/g) === 0,
  'each entry point in the API reference': count('docs/reference/api.html', /<h2 id="passport-clinician/g) === 5,
  'a link to the next page': count(GUIDE, /pager-link next/g) === 1,
  'a link to edit the page, if its address is known': count(GUIDE, /edit-link-button/g) === (repository ? 1 : 0),
};
const missing = Object.keys(parts).filter((name) => !parts[name]);

/** The page that is the first result of each search. */
const FIRST_RESULTS = {
  'sign out': '/docs/use/sign-out',
  logout: '/docs/use/sign-out',
  'callback url mismatch': '/docs/start/troubleshooting',
  redirect_uri: '/docs/start/troubleshooting',
  cookie: '/docs/start/troubleshooting',
  proxy: '/docs/operate/deploy',
  jest: '/docs/test/testing',
  roles: '/docs/start/examples',
  session: '/docs/use/sessions',
  redis: '/docs/operate/token-stores',
  outage: '/docs/operate/deploy',
  options: '/docs/reference/options',
  security: '/docs/assurance/security',
  'add to existing passport': '/docs/use/passport',
  'only verified clinicians': '/docs/use/express',
  'failed login': '/docs/start/troubleshooting',
  'wrong client secret': '/docs/start/troubleshooting',
  'login loop': '/docs/start/troubleshooting',
};
const chunks = join(site, 'assets/chunks');
const indexFile = readdirSync(chunks).find((file) => file.startsWith('@localSearchIndex'));
const { default: stored } = await import(pathToFileURL(join(chunks, indexFile)));
// The fields are those of VitePress.
const index = MiniSearch.loadJSON(stored, { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] });
for (const [query, page] of Object.entries(FIRST_RESULTS)) {
  const [first] = index.search(query, searchOptions);
  if (!first?.id.startsWith(`${page}.html`))
    missing.push(`${page} as the first result of "${query}", not ${first?.id}`);
}

for (const line of new Set([...dead, ...missing.map((name) => `missing: ${name}`)])) console.error(line);
if (pages.length < 20) console.error(`only ${pages.length} pages were built`);
if (dead.length + missing.length > 0 || pages.length < 20) process.exit(1);
console.log(`${pages.length} pages, and each of their links leads to a page of the site`);
