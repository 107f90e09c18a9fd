// Checks the built site: each link and image of a page leads to a file of the site, and each fragment to an element in it. The
// front page and a guide have what the configuration adds to the pages.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  'the picture on the front page': count('index.html', /<img[^>]* alt="The inspector/g) === 1,
  'a tab for each of three languages': count(GUIDE, /<label data-title="(?:JavaScript|TypeScript|CommonJS)"/g) === 3,
  'the token stores under one heading of the sidebar': count(GUIDE, /<h3[^>]*>Token stores<\/h3>/g) === 1,
  'a box for each point of the checklist':
    count(CHECKLIST, /<input type="checkbox"/g) > 9 && count(CHECKLIST, /\[ \]/g) === 0,
  'a link to the next page': count(GUIDE, /pager-link next/g) === 1,
  'a link to edit the page, if its address is known': count(GUIDE, /edit-link-button/g) === (repository ? 1 : 0),
};
const missing = Object.keys(parts).filter((name) => !parts[name]);

for (const line of new Set([...dead, ...missing.map((name) => `missing: ${name}`)])) console.error(line);
if (pages.length < 20) console.error(`only ${pages.length} pages were built`);
if (dead.length + missing.length > 0 || pages.length < 20) process.exit(1);
console.log(`${pages.length} pages, and each of their links leads to a page of the site`);
