// A peer's site in a process of its own, so that a crash is one. Makes the site anew whenever it is told to, and says so.
import { createServer } from 'node:http';
import { makers } from './sites.mjs';

const { PEER, PORT = '0' } = process.env;
let answer = (_req, res) => res.writeHead(503).end();

const server = createServer((req, res) => answer(req, res)).listen(Number(PORT), '127.0.0.1', () => {
  const { port } = server.address();
  const origin = `http://127.0.0.1:${port}`;
  process.on('message', async (settings) => {
    try {
      answer = await makers[PEER]({ origin, ...settings });
    } catch {
      // It would not start. Nobody is signed in by a site that is not there.
      answer = (_req, res) => res.writeHead(500).end();
    }
    process.send({ isMade: true });
  });
  process.on('disconnect', () => process.exit());
  process.send({ origin });
});
