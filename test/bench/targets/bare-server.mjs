import { createServer } from 'node:http';

/** A server that only responds. */
export default async function start() {
  const server = createServer((_req, res) => res.end('{"token_endpoint":""}')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { info: { discoveryURL: `http://127.0.0.1:${server.address().port}/` } };
}
