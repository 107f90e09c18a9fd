// A sign-in at the site of the `demo` command, up to the notes of a verified clinician: an animated image, light and dark.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import supertest from 'supertest';
import { frameOf, standalone, windowOf, withPorts } from './page.mjs';

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

/** Marks what the user clicks. The script runs when the picture is taken. */
const clickOn = (selector) => `<script>
    const clicked = document.querySelector('${selector}');
    Object.assign(clicked.style, { outline: '4px solid #e8590c', scrollMargin: '80px' });
    clicked.scrollIntoView({ block: 'nearest' });
  </script>`;

/** @returns the frames of a sign-in: each page as it opens, and when the user clicks. */
async function visit(site) {
  const agent = supertest.agent('');
  const home = await agent.get(`${site}/`);
  const login = await agent.get(`${site}/auth/login`).redirects(5);
  const consent = await submit(agent, login, ['as', 'verified']);
  const signedIn = await submit(agent, consent, ['decision', 'approve']);
  const notes = await agent.get(`${site}/notes`);
  const steps = [
    [home, 900, '.clinician-button-large'],
    [login, 1000, 'button[value=verified]'],
    [consent, 900, 'button[value=approve]'],
    [signedIn, 900, 'main a'],
    [notes, 1100],
  ];
  const frames = [];
  for (const [{ text, request }, ms, clicked] of steps) {
    const { host, pathname } = new URL(request.url);
    const page = await standalone(text, async (path) => await (await fetch(new URL(path, request.url))).text());
    frames.push({ html: windowOf(host + pathname, frameOf(page)), ms });
    if (clicked) frames.push({ html: windowOf(host + pathname, frameOf(page + clickOn(clicked))), ms: 400 });
  }
  return frames;
}

export async function recording() {
  const port = await freePort();
  const child = spawn(process.execPath, [CLI, 'demo', '--port', port], { env: {} });
  try {
    let printed = '';
    const signal = AbortSignal.timeout(60_000);
    child.stdout.on('data', (data) => {
      printed += data;
    });
    while (!printed.includes('Ctrl+C')) await once(child.stdout, 'data', { signal });
    const [site, provider] = printed.match(/http:\/\/[^\s/]+/g);
    const frames = (await visit(site)).map(({ html, ms }) => ({ html: withPorts(html, provider, site), ms }));
    const picture = { width: 600, height: 405, scale: 4 / 3, frames }; // few pixels, to be read on a phone
    return [
      { ...picture, file: 'sign-in.png' },
      { ...picture, file: 'sign-in-dark.png', theme: 'dark' },
    ];
  } finally {
    child.kill();
  }
}
