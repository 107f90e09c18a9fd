// Runs the site of one library in its own process, which a crash ends. Each message creates the site again and is acknowledged.
import { createServer } from 'node:http';
import { createSite } from './sites.mjs';

const { LIBRARY, PORT } = process.env;
let handler = (_req, res) => res.writeHead(503).end();

const server = createServer((req, res) => handler(req, res)).listen(Number(PORT), '127.0.0.1', () => {
  const { port } = server.address();
  const origin = `http://127.0.0.1:${port}`;
  process.on('message', async (settings) => {
    try {
      handler = await createSite[LIBRARY]({ origin, ...settings });
    } catch {
      // A site that does not start signs no user in.
      handler = (_req, res) => res.writeHead(500).end();
    }
    process.send({ isCreated: true });
  });
  process.on('disconnect', () => process.exit());
  process.send({ origin });
});
