// Two sheets, half light and half dark: the buttons with their variants, and the pages that users see.
import { signIn } from 'passport-clinician/testing';
import supertest from 'supertest';
import { documentOf, frameOf, standalone, withPorts } from './page.mjs';
import { siteOf } from './servers.mjs';

const BUTTONS = `
  body { display: flex; }
  section { flex: 1; display: grid; grid-template-columns: auto 1fr; gap: 16px 22px; align-items: center; padding: 26px 30px;
    color: light-dark(#16262c, #e6eff2); background: light-dark(#fff, #10171b); }
  code { font: 13px ui-monospace, "DejaVu Sans Mono", monospace; }
  form { margin: 0; }`;

export async function buttons(provider) {
  const { app, clinician } = siteOf(provider);
  const { text: css } = await supertest(app).get(clinician.stylesheetURL);
  const rows = {
    "size: 'large'": clinician.signInButton({ size: 'large' }),
    "size: 'medium'": clinician.signInButton(),
    "size: 'small'": clinician.signInButton({ size: 'small' }),
    "variant: 'outline'": clinician.signInButton({ variant: 'outline', prompt: 'create', label: 'Create an account' }),
    'signOutButton()': clinician.signOutButton(),
    'shareButton()': clinician.shareButton(),
  };
  const cells = Object.entries(rows).map(([name, button]) => `<div>${button}</div><code>${name}</code>`);
  const section = (scheme) => `<section style="color-scheme: ${scheme}">${cells.join('')}</section>`;
  const html = await standalone(documentOf(section('light') + section('dark'), css + BUTTONS));
  return [{ file: 'buttons.png', width: 1000, height: 416, frames: [{ html }] }];
}

const PAGES = `
  body { display: grid; grid-template-columns: repeat(3, 1fr); gap: 14px; }
  figure { margin: 0; height: 330px; overflow: hidden; border: 1px solid #8b98a0; border-radius: 8px; }
  iframe { width: 640px; height: 660px; scale: 0.5; transform-origin: 0 0; }`;

export async function pages(provider) {
  const { app } = siteOf(provider, { pages: { siteName: 'Example Hospital' } });
  const [stranger, pending, verified] = [0, 1, 2].map(() => supertest.agent(app));
  await signIn(pending, provider, { as: 'pending' });
  await signIn(verified, provider, { as: 'verified' });
  const { location } = (await stranger.get('/auth/login')).headers;
  const denied = new URL(await provider.signIn(location, { as: 'minimal', deny: true }));
  const ofProvider = async (path) => await (await fetch(new URL(path, provider.issuer))).text();
  const open = async (agent, path) => {
    const { text } = await agent.get(path).set('Accept', 'text/html').redirects(2);
    return standalone(text, async (file) => (await agent.get(file)).text);
  };
  const shown = [
    await standalone(await ofProvider(location), ofProvider),
    await open(pending, '/notes'),
    await open(stranger, denied.pathname + denied.search),
    await open(supertest(app), '/auth/callback?code=1&state=1'),
    await open(verified, '/auth/logout'),
    await open(stranger, '/auth/logged-out'),
  ];
  const figures = shown.map((page, index) => {
    const inOneScheme = page.replaceAll('light dark', index % 2 === 0 ? 'light' : 'dark');
    return `<figure>${frameOf(inOneScheme)}</figure>`;
  });
  const html = withPorts(documentOf(figures.join(''), PAGES), provider.issuer);
  return [{ file: 'pages.png', width: 992, height: 676, frames: [{ html }] }];
}
