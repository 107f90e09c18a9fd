// The first run, from the command to the page of a signed-in clinician: an animated image, light and dark.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import supertest from 'supertest';
import { escapeHTML, frameOf, standalone, windowOf, withPorts } from './page.mjs';

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** Submits the last form of a page, with one of its buttons. */
function submit(agent, { text, request }, button) {
  const [form] = text.match(/<form(?:(?!<form)[\s\S])*$/);
  const [, action] = /action="([^"]+)"/.exec(form);
  const fields = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, ...pair]) => pair);
  const body = new URLSearchParams([...fields, button]).toString();
  return agent.post(new URL(action, request.url).href).type('form').send(body).redirects(5);
}

/** @returns the pages of a sign-in, each with what the user clicks, and how long it is shown. */
async function pagesOf(site) {
  const agent = supertest.agent('');
  const home = await agent.get(`${site}/`);
  const login = await agent.get(`${site}/auth/login`).redirects(5);
  const consent = await submit(agent, login, ['as', 'verified']);
  const signedIn = await submit(agent, consent, ['decision', 'approve']);
  const notes = await agent.get(`${site}/notes`);
  const steps = [
    [home, '.clinician-button-large', 900],
    [login, 'button[value=verified]', 1000],
    [consent, 'button[value=approve]', 900],
    [signedIn, 'main a', 900],
    [notes, undefined, 1100],
  ];
  const pages = steps.map(async ([{ text, request }, clicked, ms]) => {
    const load = async (path) => await (await fetch(new URL(path, request.url))).text();
    const { host, pathname } = new URL(request.url);
    return { address: host + pathname, html: await standalone(text, load), clicked, ms };
  });
  return await Promise.all(pages);
}

/** @returns the frames of a page: as it opens, and with an outline around what is clicked. */
function framesOf({ address, html, clicked, ms }) {
  const opened = { html: windowOf(address, frameOf(html)), ms };
  if (clicked === undefined) return [opened];
  const outlined = `${html}<script>
    const clicked = document.querySelector('${clicked}');
    Object.assign(clicked.style, { outline: '4px solid #e8590c', scrollMargin: '80px' });
    clicked.scrollIntoView({ block: 'nearest' });
  </script>`;
  return [opened, { html: windowOf(address, frameOf(outlined)), ms: 400 }];
}

const terminal = (text) => windowOf('Terminal', `<pre>${escapeHTML(text)}</pre>`);

export async function recording() {
  const port = await freePort();
  const child = spawn(process.execPath, [CLI, 'demo', '--port', port], { env: {} });
  try {
    let printed = '';
    child.stdout.on('data', (data) => {
      printed += data;
    });
    while (!printed.includes('Ctrl+C')) await once(child.stdout, 'data');
    const [site, provider] = printed.match(/http:\/\/[^\s/]+/g);
    const command = '$ npx passport-clinician demo';
    const frames = [
      { html: terminal(command), ms: 500 },
      { html: terminal(`${command}\n${printed}`), ms: 1100 },
      ...(await pagesOf(site)).flatMap(framesOf),
    ].map(({ html, ms }) => ({ html: withPorts(html, provider, site), ms }));
    const picture = { width: 800, height: 540, frames };
    return [
      { ...picture, file: 'sign-in.png' },
      { ...picture, file: 'sign-in-dark.png', theme: 'dark' },
    ];
  } finally {
    child.kill();
  }
}
