import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

/** @returns a port that no server listens on */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

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
