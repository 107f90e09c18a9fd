import { describe, expect, test } from '@jest/globals';
import { provider } from '../../helpers/provider.js';
import { authorize, authorizeURL, codeOf, redeem, registerStrict, send } from '../wire.js';
import { TestClient } from './test-client.js';

/** The lines of a trace in Mermaid's grammar for sequence diagrams: `#`, `;` or a line break ends a text. */
const ENTITY = String.raw`#\d+;`;
const TEXT = `(?:(?!%%)[^#;<>\\n]|${ENTITY})+`;
const NAME = '(?:Browser|Site|Provider)';
const LINES = [
  /^sequenceDiagram$/,
  new RegExp(`^    participant ${NAME}$`),
  new RegExp(`^    ${NAME}(?:->>|-->>|--x)${NAME}: (?!(?:no)?wrap:)${TEXT}$`),
  new RegExp(`^    Note (?:over|right of) ${NAME}(?:,${NAME})?: (?!(?:no)?wrap:)${TEXT}$`),
];
function expectMermaid(trace: string): void {
  const lines = trace.replace(/\n$/, '').split('\n');
  expect(lines.filter((line) => !LINES.some((known) => known.test(line)))).toEqual([]);
  expect(lines[0]).toBe('sequenceDiagram');
}

/** The lines of a trace after its header. */
const lines = (trace: string) =>
  trace
    .trim()
    .split('\n')
    .slice(4)
    .map((line) => line.trim());

describe('provider.trace()', () => {
  test('shows the requests, responses, problems and faults of a login in order', async () => {
    const client = new TestClient(provider);
    const code = await client.code({ scope: 'openid basic' });
    await client.redeem(code, { code_verifier: 'x'.repeat(43) });
    const tokens = (await client.redeem(code)).json;
    provider.faults.next('responseLost', { endpoint: '/api/v1/users/current' });
    await client.profile(tokens).catch(() => undefined);
    const trace = provider.trace({ login: 1 });
    expectMermaid(trace);
    expect(lines(trace)).toEqual([
      'Note over Browser,Provider: Login 1 of verified at default-openid: signed in',
      'Browser->>Provider: 1. GET /oauth/authorize (client_id=default-openid, response_type=code, redirect_uri=http://127.0.0.1:5001/callback, state, code_challenge, code_challenge_method=S256, scope=openid basic, nonce)',
      'Provider-->>Browser: 200',
      'Browser->>Provider: 2. POST /oauth/login (interaction, form_token, username, password)',
      'Provider-->>Browser: 303 to /oauth/resume?interaction=[masked]',
      'Browser->>Provider: 3. GET /oauth/resume (interaction)',
      'Provider-->>Browser: 200',
      'Browser->>Provider: 4. POST /oauth/consent (interaction, form_token, account, decision=approve)',
      'Provider-->>Browser: 303 to http://127.0.0.1:5001/callback?code=[masked]&session_state=[masked]&state=[masked]',
      'Browser->>Site: to http://127.0.0.1:5001/callback',
      'Site->>Provider: 5. POST /oauth/token (Authorization: Basic, grant_type=authorization_code, code, redirect_uri=http://127.0.0.1:5001/callback, code_verifier)',
      'Note right of Provider: invalid_grant: code_verifier is malformed, or does not match code_challenge (code-verifier-matches, RFC 7636 section 4.6). Send the code_verifier of this login#59; store it with state, not in one place for all logins.',
      'Provider-->>Site: 400 invalid_grant',
      'Site->>Provider: 6. POST /oauth/token (Authorization: Basic, grant_type=authorization_code, code, redirect_uri=http://127.0.0.1:5001/callback, code_verifier)',
      'Provider-->>Site: 200 expires_in=1800 scope=openid basic token_type=bearer',
      'Site->>Provider: 7. GET /api/v1/users/current (Authorization: Bearer)',
      'Note right of Provider: fault: responseLost',
      'Provider--xSite: no response',
    ]);
  });

  test('with a login omits other logins, without one shows all', async () => {
    await codeOf(provider, provider.clients.profile);
    await redeem(
      provider,
      provider.clients.profile,
      await codeOf(provider, provider.clients.profile, { as: 'pending' }),
    );
    await send(provider, '/.well-known/jwks.json');
    expect(provider.trace({ login: 1 })).not.toContain('/oauth/token');
    expect(provider.trace({ login: 2 })).toContain('Login 2 of pending at default-profile: signed in');
    expect(provider.trace({ login: 2 })).not.toContain('jwks');
    const all = provider.trace();
    expectMermaid(all);
    expect(all.match(/GET \/oauth\/authorize/g)).toHaveLength(2);
    expect(all).toContain('Site->>Provider: 10. GET /.well-known/jwks.json');
  });

  test('shows only the newest 200 requests', async () => {
    for (let i = 0; i < 250; i += 1) await provider.fetch(`${provider.issuer}/.well-known/jwks.json`);
    const trace = provider.trace();
    expectMermaid(trace);
    expect(lines(trace)[0]).toBe('Note over Browser,Provider: 50 earlier requests are omitted');
    expect(lines(trace)).toHaveLength(401);
  });

  test('is a valid diagram for any values of a client', async () => {
    const hostile = 'x;end\n%%{init: {}}%%#<b>"\'`\u2028wrap:\u0000';
    const client = registerStrict(provider, 'openid', { clientID: 'a;b#c%%d<e' });
    await authorize(provider, client, { scope: hostile, state: hostile, [hostile]: hostile, display: 'a;b#c' });
    await authorize(provider, client, {
      redirect_uri: `http://127.0.0.1:5001/${encodeURIComponent(hostile)};#${hostile}`,
    });
    await authorize(provider, client, { prompt: 'a;b#%%' });
    await send(provider, '/oauth/nothing;x%%y', { method: 'DELETE', headers: { origin: 'http://a.example' } });
    await provider.signIn(authorizeURL(provider, provider.clients.profile, { state: 's' }), { as: 'hostile' });
    const trace = provider.trace();
    expectMermaid(trace);
    expect(trace).not.toContain('{init');
    expect(provider.logins.length).toBeGreaterThan(3);
    for (const { login } of provider.logins) expectMermaid(provider.trace({ login }));
  });
});
