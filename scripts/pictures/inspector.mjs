// The inspector with a login that works and one that fails, light and dark.
import { signIn } from 'passport-clinician/testing';
import supertest from 'supertest';
import { frameOf, standalone, windowOf, withPorts } from './page.mjs';
import { siteOf } from './servers.mjs';

/** Values that differ in each run, of which the page shows none. */
const RANDOM = /(?<=inspector-token" content="|inspector-run" content="|"run":"|"offset":)[^",]+/g;

export async function inspector(provider) {
  const { issuer } = provider;
  await signIn(supertest.agent(siteOf(provider).app), provider, { as: 'verified' });
  provider.clock.advance('2 minutes');
  const mistake = { clientSecret: 'not the registered one' };
  await signIn(supertest.agent(siteOf(provider, mistake).app), provider, { as: 'pending' });

  const load = async (path) => await (await fetch(new URL(path, `${issuer}/_mock/inspector/`))).text();
  const files = await Promise.all(['/', 'inspector.css', 'inspector.js', 'state.json'].map(load));
  const shown = withPorts(files.join('\n'), issuer).replaceAll(RANDOM, '');
  /** Lets the script fill the page, which then needs no server. */
  async function html(page) {
    await page.goto(issuer);
    await page.locator('article').first().waitFor();
    const filled = await standalone(await page.content(), load);
    return withPorts(windowOf(issuer, frameOf(filled)), issuer);
  }
  const picture = { width: 1240, height: 1300, frames: [{ shown, html }] };
  return [
    { ...picture, file: 'inspector.png' },
    { ...picture, file: 'inspector-dark.png', theme: 'dark' },
  ];
}
