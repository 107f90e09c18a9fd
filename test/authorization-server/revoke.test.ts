import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Secret } from '../../lib/secret.js';
import { HostileAuthorizationServer, json } from './hostile-authorization-server.js';
import { clientOf, codeOf, errorOf, outcomeOf } from './sign-in.js';

const TOKEN = new Secret('planted-refresh-1');

describe('a revocation', () => {
  let hostile: HostileAuthorizationServer;
  beforeAll(async () => {
    hostile = await HostileAuthorizationServer.start();
  });
  afterEach(() => hostile.reset());
  afterAll(() => hostile.stop());

  test.each(['openid', 'profile'] as const)(
    'authenticates with Basic in the %s flow, without the secret in the body',
    async (flow) => {
      await clientOf(hostile, { flow }).revoke(TOKEN);
      const [request] = hostile.requestsTo('/oauth/revoke');
      expect(request?.headers.authorization).toMatch(/^Basic /);
      expect(Object.fromEntries(request?.form ?? [])).toEqual({ token: 'planted-refresh-1' });
    },
  );

  test('is sent to the endpoint of the metadata document', async () => {
    hostile.behaviour.metadata = (document) => ({ ...document, revocation_endpoint: `${hostile.issuer}/revoke/here` });
    hostile.behaviour.endpoints['/revoke/here'] = (_, response) => response.writeHead(200).end();
    await clientOf(hostile).revoke(TOKEN);
    expect(hostile.requestsTo('/revoke/here')).toHaveLength(1);
  });

  test.each<[number, unknown, string]>([
    [401, { error: 'invalid_client' }, 'invalid_client'],
    [400, { error: 'unauthorized_client' }, 'unauthorized_client'],
    [503, {}, 'service_error'],
    [404, {}, 'revocation_response_malformed'],
  ])('that fails with status %d rejects', async (status, body, code) => {
    hostile.behaviour.endpoints['/oauth/revoke'] = (_, response) => json(response, status, body);
    expect(await codeOf(clientOf(hostile).revoke(TOKEN))).toBe(code);
  });

  test('does not follow a redirect', async () => {
    hostile.behaviour.endpoints['/oauth/revoke'] = (_, response) =>
      response.writeHead(307, { location: '/elsewhere' }).end();
    expect(await codeOf(clientOf(hostile).revoke(TOKEN))).toBe('revocation_response_malformed');
    expect(hostile.requestsTo('/elsewhere')).toEqual([]);
  });

  test('ignores the body of a 200', async () => {
    hostile.behaviour.endpoints['/oauth/revoke'] = (_, response) => response.writeHead(200).end('anything');
    expect(await outcomeOf(clientOf(hostile).revoke(TOKEN))).toBe('done');
  });

  test('drops an error_description that repeats the token', async () => {
    hostile.behaviour.endpoints['/oauth/revoke'] = (_, response) =>
      json(response, 400, { error: 'invalid_request', error_description: 'what is planted-refresh-1?' });
    expect((await errorOf(clientOf(hostile).revoke(TOKEN))).message).not.toContain('planted');
  });
});
