import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { root } from '../architecture/imports.js';
import { snippetsOf } from '../architecture/snippets.js';
import { freePort } from '../helpers.js';

/** A site with the program of docs/operate/deploy.md. It prints each request and each step of its end. */
const SITE = `
import { createServer } from 'node:http';
import { once } from 'node:events';
import { stopOnSignal } from './program.mjs';

const server = createServer(async (request, response) => {
  console.log(request.url);
  if (request.url === '/slow') await once(process, 'SIGTERM');
  response.end('page');
});
const closing = (name) => ({ close: async () => console.log(\`\${name} closed\`) });
stopOnSignal(server, closing('clinician'), closing('redis'));
server.keepAliveTimeout = 60_000;
server.on('close', () => console.log('server closed'));
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'));
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'shutdown-'));
  const snippets = snippetsOf('docs/operate/deploy.md', readFileSync(join(root, 'docs/operate/deploy.md'), 'utf8'));
  const [program] = snippets.filter(({ code }) => code.includes("process.once('SIGTERM'"));
  writeFileSync(join(folder, 'program.mjs'), program?.code ?? '');
  writeFileSync(join(folder, 'site.mjs'), SITE);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the program of docs/operate/deploy.md finishes the requests in progress, and closes the rest in order', async () => {
  const port = await freePort();
  const env = { PATH: process.env.PATH, PORT: String(port) };
  const child = spawn(process.execPath, [join(folder, 'site.mjs')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const ended = once(child, 'close');
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => lines.push(line));
  await once(output, 'line');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  async function send(path: string) {
    const [response] = (await once(get({ port, path, agent }), 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return [response.statusCode, response.headers.connection];
  }
  const received = once(output, 'line');
  const slow = send('/slow');
  await received;
  child.kill('SIGTERM');
  expect(await slow).toEqual([200, 'keep-alive']);
  expect(await send('/next')).toEqual([200, 'close']);
  await expect(send('/refused')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(await ended).toEqual([0, null]);
  expect(lines.slice(1)).toEqual(['/slow', '/next', 'server closed', 'clinician closed', 'redis closed']);
  agent.destroy();
});
