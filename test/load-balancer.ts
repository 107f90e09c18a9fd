import { createServer, request as forward, type Server } from 'node:http';
import { pipeline } from 'node:stream';

/** A load balancer: sends requests to several ports in turn, and skips a port that does not respond. */
export function createBalancer(ports: number[]): Server {
  let count = 0;
  return createServer((req, res) => {
    const attempt = (left: number): void => {
      count += 1;
      const { method = 'GET', url = '/', headers } = req;
      const port = ports[count % ports.length] as number;
      const forwarded = forward({ host: '127.0.0.1', port, method, path: url, headers }, (response) => {
        res.writeHead(response.statusCode as number, response.headers);
        // Closes the connection where the process is killed in the middle of its response.
        pipeline(response, res, () => undefined);
      });
      forwarded.on('error', () => (left > 0 && !res.headersSent ? attempt(left - 1) : res.destroy()));
      if (method === 'GET') forwarded.end();
      else req.pipe(forwarded);
    };
    attempt(ports.length);
  });
}
