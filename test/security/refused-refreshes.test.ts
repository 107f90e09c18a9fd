import { describe, expect, test } from '@jest/globals';
import { hostileTest, PATHS } from './hostile-service.js';

const hostile = hostileTest();
const { service } = hostile;

type Members = Record<string, unknown>;
const apiTokens = () => service.requestsTo(PATHS.profile).map(({ headers }) => headers.authorization);
const tokenRequests = () => service.requestsTo(PATHS.token).length;

const members = (change: (members: Members) => unknown) => () => {
  service.behaviour.token = (sent) => change(sent as Members);
};
const claims = (changed: Members) => () => (service.behaviour.claims = (sent) => ({ ...sent, ...changed }));
const body =
  (text: string, headers = {}, status = 200) =>
  () => {
    service.behaviour.endpoints[PATHS.token] = (_, response) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };
const cutOff = () => {
  service.behaviour.endpoints[PATHS.token] = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '99' }).write('{"access');
    setImmediate(() => response.destroy());
  };
};
const padded = (size: number) =>
  body(`{"access_token":"new-access","refresh_token":"new-refresh","token_type":"Bearer","x":"${'x'.repeat(size)}"}`);

describe('a refresh whose response is refused ends the login, and revokes the tokens in it', () => {
  test.each<[string, () => unknown, string, string?]>([
    ['the ID Token of another issuer', claims({ iss: 'https://evil.example' }), 'id_token_invalid'],
    ['more scope', members((sent) => ({ ...sent, scope: 'openid basic email other' })), 'scope_widened'],
    ['no JSON', body('{"access_token":'), 'response_malformed', 'unread'],
    ['a compressed body', body('{}', { 'content-encoding': 'gzip' }), 'response_malformed', 'unread'],
    ['another status of success', body('{}', {}, 201), 'response_malformed', 'unread'],
    ['more than 500 kB', padded(600_000), 'response_malformed', 'unread'],
  ])('%s', async (_, alter, code, unread = 'read') => {
    const reasons: unknown[] = [];
    const site = hostile.site({
      onEvent: ({ name, code: reason }) => void (name === 'login_ended' && reasons.push(reason)),
    });
    const { agent } = await hostile.signIn(site);
    await agent.get('/call/profile').expect(200);
    const before = { requests: tokenRequests(), api: apiTokens() };
    alter();
    expect((await agent.get('/call/refresh').expect(200)).body.code).toBe('grant_ended');
    expect((await agent.get('/call/profile').expect(401)).body.code).toBe('sign_in_required');
    expect(reasons).toEqual([code]);
    expect([tokenRequests() - before.requests, apiTokens()]).toEqual([1, before.api]);
    expect(service.requestsTo('/oauth/revoke')).toHaveLength(unread === 'read' ? 1 : 0);
  });

  test('also if no request waits for it any more', async () => {
    let end: (code: unknown) => void = () => undefined;
    const ended = new Promise((resolve) => (end = resolve));
    const site = hostile.site({ onEvent: ({ name, code }) => name === 'login_ended' && end(code) });
    const { agent } = await hostile.signIn(site);
    service.now += 1_790;
    let respond: () => void = () => undefined;
    service.behaviour.endpoints[PATHS.token] = (_, response) => {
      respond = () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    };
    expect((await agent.get('/call/profile').expect(200)).body.code).toBe('done');
    respond();
    expect(await ended).toBe('response_malformed');
    await agent.get('/me').expect(401);
  });

  test.each<[string, () => unknown, string]>([
    [
      'no connection',
      () => (service.behaviour.endpoints[PATHS.token] = (_, res) => void res.destroy()),
      'service_unreachable',
    ],
    ['a connection that ends early', cutOff, 'service_unreachable'],
    ['the status 503', body('{}', {}, 503), 'service_error'],
    ['the status 404', body('<p>', { 'content-type': 'text/html' }, 404), 'response_malformed'],
    ['a redirect', body('', { location: '/' }, 302), 'response_malformed'],
    ['another error than invalid_grant', body('{"error":"invalid_client"}', {}, 401), 'invalid_client'],
  ])('but not one without tokens: %s', async (_, alter, code) => {
    const { agent } = await hostile.signIn();
    alter();
    expect((await agent.get('/call/refresh').expect(200)).body.code).toBe(code);
    delete service.behaviour.endpoints[PATHS.token];
    expect((await agent.get('/call/profile').expect(200)).body.code).toBe('done');
  });
});

test('a refresh that returns the access token that the resource API has refused is sent once', async () => {
  const { agent } = await hostile.signIn();
  await agent.get('/call/profile').expect(200);
  const [authorization] = apiTokens();
  const accessToken = String(authorization).replace('Bearer ', '');
  service.behaviour.token = (members) => {
    const { id_token: _, ...others } = members as Members;
    return { ...others, access_token: accessToken };
  };
  service.behaviour.endpoints[PATHS.profile] = (_, response) => void response.writeHead(401).end();
  const before = tokenRequests();
  expect((await agent.get('/call/profile').expect(200)).body.code).toBe('access_token_refused');
  expect(tokenRequests() - before).toBe(1);
});
