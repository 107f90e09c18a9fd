import { describe, expect, test } from '@jest/globals';
import { Secret } from '../../lib/sealing/sealer.js';
import { hostile } from './hostile.js';
import { json } from './hostile-authorization-server.js';
import { clientOf, errorOf, outcomeOf, signIn, withMember } from './sign-in.js';

const TOKEN = new Secret('planted-refresh-1');

describe('a revocation', () => {
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

  describe('where the OpenID configuration lists no endpoint', () => {
    const OAUTH_DOCUMENT = '/.well-known/oauth-authorization-server';
    /** @param change what the authorization server metadata has; without it, that document is missing */
    function unlisted(change?: (document: Record<string, unknown>) => unknown): void {
      hostile.behaviour.metadata = ({ revocation_endpoint, ...document }) => document;
      if (change === undefined) return;
      hostile.behaviour.endpoints[OAUTH_DOCUMENT] = (_, response) => json(response, 200, change(hostile.metadata()));
    }

    test('is sent to that of the authorization server metadata, which is read once', async () => {
      unlisted((document) => document);
      const client = clientOf(hostile);
      await Promise.all([client.revoke(TOKEN), client.revoke(TOKEN)]);
      await client.revoke(TOKEN);
      expect(hostile.requestsTo('/oauth/revoke')).toHaveLength(3);
      expect(hostile.requestsTo(OAUTH_DOCUMENT)).toHaveLength(1);
    });

    test.each<[string, ((document: Record<string, unknown>) => unknown) | undefined]>([
      ['no other metadata exists', undefined],
      ['the authorization server metadata lists none either', ({ revocation_endpoint, ...document }) => document],
    ])('and %s, no endpoint is guessed', async (_, change) => {
      unlisted(change);
      const error = await errorOf(clientOf(hostile).revoke(TOKEN));
      expect(error).toMatchObject({ code: 'revocation_unsupported', retryable: false });
      expect(hostile.requestsTo('/oauth/revoke')).toEqual([]);
    });

    test('and the other address has no document, no endpoint is guessed', async () => {
      unlisted();
      hostile.behaviour.endpoints[OAUTH_DOCUMENT] = (_, response) => response.writeHead(302, { location: '/' }).end();
      expect(await outcomeOf(clientOf(hostile).revoke(TOKEN))).toBe('revocation_unsupported');
    });

    test.each<[string, (document: Record<string, unknown>) => unknown, string]>([
      ['another issuer', (document) => ({ ...document, issuer: 'https://mallet.example' }), 'issuer_mismatch'],
      ['no issuer', ({ issuer, ...document }) => document, 'issuer_mismatch'],
      [
        'an endpoint elsewhere',
        withMember('revocation_endpoint', 'https://mallet.example/revoke'),
        'metadata_endpoint_refused',
      ],
    ])('and the authorization server metadata has %s, the token is sent nowhere', async (_, change, code) => {
      unlisted(change);
      expect(await outcomeOf(clientOf(hostile).revoke(TOKEN))).toBe(code);
      expect(hostile.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    });

    test('an unavailable second document is a retryable error, and does not affect a sign-in', async () => {
      unlisted();
      hostile.behaviour.endpoints[OAUTH_DOCUMENT] = (_, response) => json(response, 503, {});
      const client = clientOf(hostile);
      await signIn(hostile, client);
      expect(hostile.requestsTo(OAUTH_DOCUMENT)).toEqual([]);
      expect(await errorOf(client.revoke(TOKEN))).toMatchObject({ code: 'service_error', retryable: true });
      unlisted((document) => document);
      expect(await outcomeOf(client.revoke(TOKEN))).toBe('done');
    });
  });

  test('is sent to the fixed path of the service spec in the profile flow', async () => {
    await clientOf(hostile, { flow: 'profile' }).revoke(TOKEN);
    expect(hostile.requests.map(({ path }) => path)).toEqual(['/oauth/revoke']);
  });

  test.each<[number, unknown, string]>([
    [401, { error: 'invalid_client' }, 'invalid_client'],
    [400, { error: 'unauthorized_client' }, 'unauthorized_client'],
    [400, { error: 'unsupported_token_type' }, 'revocation_unsupported'],
    [400, { error: 'invalid_request' }, 'invalid_request'],
    [503, {}, 'service_error'],
    [404, {}, 'response_malformed'],
    [307, {}, 'response_malformed'],
  ])('that fails with status %d rejects', async (status, body, code) => {
    hostile.behaviour.endpoints['/oauth/revoke'] = (_, response) => json(response, status, body);
    expect(await outcomeOf(clientOf(hostile).revoke(TOKEN))).toBe(code);
  });

  test('ignores the body of a 200', async () => {
    hostile.behaviour.endpoints['/oauth/revoke'] = (_, response) => response.writeHead(200).end('anything');
    expect(await outcomeOf(clientOf(hostile).revoke(TOKEN))).toBe('done');
  });
});
