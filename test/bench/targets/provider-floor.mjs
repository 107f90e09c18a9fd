import { randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { createKey, SECRET } from './key.mjs';

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const random = () => randomBytes(24).toString('base64url');

function respond(res, value) {
  const body = JSON.stringify(value);
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}

/** The least that a provider does: it checks nothing, stores tokens in Maps, and signs synchronously. */
export default async function start() {
  const key = createKey();
  const codes = new Map();
  const tokens = new Map();
  const header = encode({ alg: 'RS256', kid: 'one' });
  const server = createServer((req, res) => {
    const [path, query] = req.url.split('?', 2);
    if (path === '/authorize') return authorize(new URLSearchParams(query), res);
    if (path === '/token') return readForm(req, (form) => respond(res, issueTokens(form)));
    if (path === '/profile') return respond(res, tokens.get(req.headers.authorization.slice(7)));
    return res.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const issuer = `http://127.0.0.1:${server.address().port}`;

  function authorize(parameters, res) {
    const code = random();
    codes.set(code, { nonce: parameters.get('nonce') });
    const query = new URLSearchParams({ code, state: parameters.get('state') });
    res.writeHead(302, { location: `${parameters.get('redirect_uri')}?${query}` }).end();
  }

  function readForm(req, use) {
    let body = '';
    req.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    req.on('end', () => use(new URLSearchParams(body)));
  }

  function issueTokens(form) {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, aud: 'app', sub: 'a-user', iat: now, exp: now + 3600 };
    const issued = { access_token: random(), refresh_token: random(), token_type: 'Bearer', expires_in: 3600 };
    tokens.set(issued.access_token, { sub: 'a-user', npi: 1234567893 });
    tokens.set(issued.refresh_token, true);
    if (form.get('grant_type') === 'refresh_token') {
      tokens.delete(form.get('refresh_token'));
      return issued;
    }
    const { nonce } = codes.get(form.get('code'));
    codes.delete(form.get('code'));
    const signed = `${header}.${encode({ ...claims, nonce })}`;
    return { ...issued, id_token: `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}` };
  }

  const info = {
    ...{ issuer, clientID: 'app', clientSecret: SECRET, scope: 'openid' },
    authorizeURL: `${issuer}/authorize`,
    tokenURL: `${issuer}/token`,
    profileURL: `${issuer}/profile`,
    profileMember: '"npi"',
  };
  return { info };
}
