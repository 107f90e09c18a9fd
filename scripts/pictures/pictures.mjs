// Makes the pictures of the documents, after a build: `npm run docs:pictures`. docs/images/pictures.json has a hash of what each
// shows, so that only those are made again whose page or text has changed. With --check, reports these and makes none.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { findRequirements } from '../requirements.mjs';
import { animate } from './apng.mjs';
import { inspector } from './inspector.mjs';
import { recording } from './recording.mjs';
import { startProvider } from './servers.mjs';
import { buttons, pages } from './sheets.mjs';
import { terminals } from './terminals.mjs';

const images = new URL('../../docs/images/', import.meta.url);
const index = new URL('pictures.json', images);
const hashOf = (picture) => createHash('sha256').update(JSON.stringify(picture)).digest('hex').slice(0, 16);

async function take(browser, { width, height, scale, theme, frames }) {
  const viewport = { width, height };
  const page = await browser.newPage({ viewport, deviceScaleFactor: scale, colorScheme: theme, timezoneId: 'UTC' });
  const shots = [];
  for (const { html } of frames) {
    const text = typeof html === 'string' ? html : await html(page);
    await page.goto('about:blank'); // without the policy of the page before
    await page.setContent(text);
    shots.push(await page.screenshot({ omitBackground: true, animations: 'disabled' }));
  }
  await page.close();
  const delays = frames.map(({ ms }) => ms);
  return shots.length === 1 ? shots[0] : animate(shots, delays);
}

async function write(pictures) {
  const { CHROMIUM } = findRequirements(fileURLToPath(new URL('../..', import.meta.url))).env;
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--headless', '--no-sandbox'] });
  for (const one of pictures) writeFileSync(new URL(one.file, images), one.svg ?? (await take(browser, one)));
  await browser.close();
}

const providers = await Promise.all([startProvider(), startProvider()]);
const [inspected, provider] = providers;
const groups = [recording(), inspector(inspected), buttons(provider), pages(provider), terminals(provider)];
const pictures = (await Promise.all(groups)).flat();
const hashes = Object.fromEntries(pictures.map((picture) => [picture.file, hashOf(picture)]).sort());
const recorded = existsSync(index) ? JSON.parse(readFileSync(index, 'utf8')) : {};
const changed = pictures.filter(({ file }) => recorded[file] !== hashes[file] || !existsSync(new URL(file, images)));
if (process.argv.includes('--check')) {
  for (const { file } of changed) console.error(`docs/images/${file} is not current: run npm run docs:pictures`);
  process.exitCode = changed.length > 0 ? 1 : 0;
} else {
  if (changed.length > 0) await write(changed);
  writeFileSync(index, `${JSON.stringify(hashes, undefined, 2)}\n`);
}
await Promise.all(providers.map((one) => one.stop()));
