import { createServer } from 'node:http';
import { createKey, REDIRECT_URI, SECRET } from './key.mjs';

/** Stores everything, as the mock provider does: the library's own store in memory drops all but the newest thousand. */
class MapAdapter {
  static #values = new Map();
  static #byUid = new Map();
  #model;

  constructor(model) {
    this.#model = model;
  }

  async upsert(id, payload) {
    MapAdapter.#values.set(`${this.#model}:${id}`, payload);
    if (this.#model === 'Session') MapAdapter.#byUid.set(payload.uid, id);
  }

  async find(id) {
    return MapAdapter.#values.get(`${this.#model}:${id}`);
  }

  async findByUid(uid) {
    return this.find(MapAdapter.#byUid.get(uid));
  }

  async consume(id) {
    (await this.find(id)).consumed = Math.floor(Date.now() / 1000);
  }

  async destroy(id) {
    MapAdapter.#values.delete(`${this.#model}:${id}`);
  }
}

/** oidc-provider, with rotated refresh tokens. Without the scope `openid` it issues no ID Token. */
export default async function start({ scope = 'openid' }) {
  const { default: Provider } = await import('oidc-provider');
  const clientID = 'app';
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const grant_types = ['authorization_code', 'refresh_token'];
  const provider = new Provider(issuer, {
    adapter: MapAdapter,
    clients: [{ client_id: clientID, client_secret: SECRET, redirect_uris: [REDIRECT_URI], grant_types }],
    jwks: { keys: [{ ...createKey().export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] },
    scopes: ['openid', 'basic', 'colleagues'],
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    cookies: { keys: [SECRET] },
  });
  server.on('request', provider.callback());
  const info = {
    ...{ issuer, clientID, clientSecret: SECRET, scope },
    authorizeURL: `${issuer}/auth`,
    tokenURL: `${issuer}/token`,
    profileURL: `${issuer}/me`,
    profileMember: '"sub"',
    discoveryURL: `${issuer}/.well-known/openid-configuration`,
  };
  return { info };
}
