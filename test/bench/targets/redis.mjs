import { spawn } from 'node:child_process';
import { freePort } from './free-port.mjs';

/** A Redis server that stores nothing on disk. */
export default async function start() {
  const port = await freePort();
  const server = spawn('redis-server', ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']);
  process.once('exit', () => server.kill('SIGKILL'));
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', () => reject(new Error('redis-server has ended.')));
    server.stdout.setEncoding('utf8').on('data', (text) => {
      if (text.includes('Ready to accept connections')) resolve();
    });
  });
  return { info: { url: `redis://127.0.0.1:${port}` } };
}
