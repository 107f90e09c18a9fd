import { beforeEach, describe, expect, test } from '@jest/globals';
import { hostileTest, PATHS } from './hostile-service.js';

const hostile = hostileTest();
const { service } = hostile;

type Members = Record<string, unknown>;
const apiTokens = () => service.requestsTo(PATHS.profile).map(({ headers }) => headers.authorization);
const tokenRequests = () => service.requestsTo(PATHS.token).length;

describe('at a service without revocation, a refresh whose response fails a security check', () => {
  beforeEach(() => {
    service.behaviour.metadata = ({ revocation_endpoint, ...document }) => document;
  });

  test.each<[string, () => void, string]>([
    [
      'an ID Token of another issuer',
      () => (service.behaviour.claims = (claims) => ({ ...claims, iss: 'https://evil.example' })),
      'id_token_invalid',
    ],
    [
      'more scope',
      () => (service.behaviour.token = (members) => ({ ...(members as Members), scope: 'openid basic email other' })),
      'scope_widened',
    ],
  ])('ends the use of the access token before it: %s', async (_, alter, code) => {
    const { agent } = await hostile.signIn();
    expect((await agent.get('/call/profile').expect(200)).body.code).toBe('done');
    const before = apiTokens();
    alter();
    expect((await agent.get('/call/refresh').expect(200)).body.code).toBe(code);
    expect((await agent.get('/call/profile').expect(200)).body.code).toBe(code);
    expect(apiTokens()).toEqual(before);
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
