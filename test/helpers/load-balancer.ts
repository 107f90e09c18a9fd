import { createServer, request as forward, type Server } from 'node:http';
import { pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/**
 * A load balancer: sends requests to several ports in turn, and skips a port that does not respond. Each request has its own
 * connection: a process could close an idle one while a request is sent. Only GET is sent again after a lost connection.
 */
export function createBalancer(ports: number[]): Server {
  let count = 0;
  return createServer(async (req, res) => {
    const { method = 'GET', url = '/', headers } = req;
    const body = await buffer(req).catch(() => undefined);
    const attempt = (left: number): void => {
      count += 1;
      const port = ports[count % ports.length] as number;
      const options = { host: '127.0.0.1', port, method, path: url, headers, agent: false };
      const forwarded = forward(options, (response) => {
        res.writeHead(response.statusCode as number, response.headers);
        // Closes the connection where the process is killed in the middle of its response.
        pipeline(response, res, () => undefined);
      });
      forwarded.on('error', ({ code }: NodeJS.ErrnoException) => {
        const canRepeat = left > 0 && !res.headersSent && (method === 'GET' || code === 'ECONNREFUSED');
        if (canRepeat) attempt(left - 1);
        else res.destroy();
      });
      forwarded.end(body);
    };
    if (body !== undefined) attempt(ports.length);
  });
}
