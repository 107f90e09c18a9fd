import { connect } from 'node:net';

/**
 * An HTTP/1.1 client that costs less than the servers that it measures: one connection for each origin, and one request at a time.
 * Texts are read as Latin-1.
 */
export class Client {
  #connections = new Map();

  /** @returns `{ status, headers, cookies, text }`; `cookies` are the values of Set-Cookie as a Map */
  async send(url, { headers = {}, form, cookies } = {}) {
    const { origin, hostname, port, host, pathname, search } = new URL(url);
    const body = form === undefined ? '' : new URLSearchParams(form).toString();
    const sent = { host, ...headers };
    if (cookies?.size > 0) sent.cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    if (form !== undefined) {
      sent['content-type'] = 'application/x-www-form-urlencoded';
      sent['content-length'] = body.length;
    }
    let head = `${form === undefined ? 'GET' : 'POST'} ${pathname}${search} HTTP/1.1\r\n`;
    for (const name of Object.keys(sent)) head += `${name}: ${sent[name]}\r\n`;
    let connection = this.#connections.get(origin);
    if (connection === undefined || connection.isClosed) {
      connection = new Connection(hostname, port);
      this.#connections.set(origin, connection);
    }
    const response = await connection.exchange(`${head}\r\n${body}`);
    for (const [name, value] of response.cookies) {
      if (value === '') cookies?.delete(name);
      else cookies?.set(name, value);
    }
    return response;
  }

  close() {
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
  }
}

class Connection {
  isClosed = false;
  #socket;
  #received = '';
  #pending;

  constructor(host, port) {
    this.#socket = connect({ host, port, noDelay: true }).setEncoding('latin1');
    this.#socket.on('data', (text) => {
      this.#received += text;
      const response = parseResponse(this.#received);
      if (response === undefined) return;
      this.#received = '';
      if (response.headers.connection === 'close') this.isClosed = true;
      this.#pending.resolve(response);
    });
    const fail = (error) => {
      this.isClosed = true;
      this.#pending?.reject(error ?? new Error('The connection was closed without a response.'));
    };
    this.#socket.on('error', fail);
    this.#socket.on('close', () => fail());
  }

  exchange(request) {
    this.#socket.write(request, 'latin1');
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
    });
  }

  close() {
    this.#socket.destroy();
  }
}

/** @returns undefined while the response is not complete */
function parseResponse(received) {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first, ...lines] = received.slice(0, end).split('\r\n');
  const headers = {};
  const cookies = new Map();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'set-cookie') {
      const [, key, content] = /^([^=]*)=([^;]*)/.exec(value);
      cookies.set(key, content);
    } else headers[name] = value;
  }
  const status = Number(first.split(' ', 2)[1]);
  const text = status === 204 || status === 304 ? '' : parseBody(headers, received.slice(end + 4));
  return text === undefined ? undefined : { status, headers, cookies, text };
}

function parseBody(headers, received) {
  if (headers['transfer-encoding'] !== 'chunked') {
    const length = Number(headers['content-length'] ?? 0);
    return received.length < length ? undefined : received.slice(0, length);
  }
  let text = '';
  for (let start = 0; ; ) {
    const end = received.indexOf('\r\n', start);
    if (end === -1) return undefined;
    const length = Number.parseInt(received.slice(start, end), 16);
    if (received.length < end + 4 + length) return undefined;
    if (length === 0) return text;
    text += received.slice(end + 2, end + 2 + length);
    start = end + 4 + length;
  }
}
