import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** An HTTP client with one connection for each origin. It follows no redirect. */
export class Client {
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** @returns `{ status, headers, text }`. @param options.cookies a Map that gets the cookies of the response */
  async send(url, { headers = {}, form, cookies } = {}) {
    const sent = { ...headers };
    if (cookies?.size > 0) sent.cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    if (form !== undefined) sent['content-type'] = 'application/x-www-form-urlencoded';
    const method = form === undefined ? 'GET' : 'POST';
    const req = request(url, { agent: this.#agent, method, headers: sent });
    req.end(form && new URLSearchParams(form).toString());
    const [res] = await once(req, 'response');
    for (const line of res.headers['set-cookie'] ?? []) {
      const [, name, value] = /^([^=]*)=([^;]*)/.exec(line);
      if (value === '') cookies?.delete(name);
      else cookies?.set(name, value);
    }
    return { status: res.statusCode, headers: res.headers, text: await text(res) };
  }

  close() {
    this.#agent.destroy();
  }
}
