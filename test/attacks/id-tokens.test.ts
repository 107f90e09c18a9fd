import supertest from 'supertest';
import { type FaultName, type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteFor } from '../journeys/site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

async function attempt(fault: FaultName) {
  const agent = supertest.agent(siteFor(provider).app);
  provider.faults.next(fault);
  const landed = await signIn(agent, provider, { as: 'verified' });
  const me = await agent.get('/me');
  return { landed, me, agent };
}

describe('an ID Token that is not right signs nobody in, and says which rule it broke', () => {
  test.each<[string, FaultName, string]>([
    ['attack 18: forged signature', 'badSignature', 'id_token_signature_invalid'],
    ['attack 17: alg none', 'algNone', 'id_token_malformed'],
    [
      'attack 32, 170: signed with the public key as a shared secret',
      'symmetricKeyConfusion',
      'id_token_algorithm_refused',
    ],
    ['attack 174: a key that nobody publishes', 'unknownKid', 'id_token_key_unknown'],
    ['attack 10: another issuer', 'wrongIssuer', 'id_token_issuer_mismatch'],
    ['no issuer', 'missingIss', 'id_token_issuer_mismatch'],
    ['attack 12: another audience', 'wrongAudience', 'id_token_audience_mismatch'],
    ['attack 29: no audience', 'missingAud', 'id_token_audience_mismatch'],
    ['attack 179: a third party in the audience', 'extraAudience', 'id_token_audience_mismatch'],
    ['attack 178: another authorized party', 'wrongAzp', 'id_token_azp_mismatch'],
    ['attack 178: no authorized party', 'missingAzp', 'id_token_azp_mismatch'],
    ['attack 20: another nonce', 'wrongNonce', 'id_token_nonce_mismatch'],
    ['attack 20: no nonce', 'missingNonce', 'id_token_nonce_mismatch'],
    ['attack 31, 100: the hash of another access token', 'wrongAtHash', 'id_token_at_hash_mismatch'],
    ['attack 177: expired', 'expired', 'id_token_expired'],
    ['no expiry', 'missingExp', 'id_token_claim_missing'],
    ['attack 177: issued in the future', 'issuedInFuture', 'id_token_issued_in_future'],
    ['attack 13: no time of issue', 'missingIat', 'id_token_claim_missing'],
    ['attack 11: no subject', 'missingSub', 'id_token_claim_missing'],
  ])('%s', async (_name, fault, code) => {
    const { landed, me } = await attempt(fault);
    expect(landed.status).toBe(502);
    expect(JSON.parse(landed.text)).toMatchObject({ code, retryable: false });
    expect(me.status).toBe(401);
  });

  test('a person sees a page without its inside, and the next sign-in works', async () => {
    const agent = supertest.agent(siteFor(provider).app).set('Accept', 'text/html');
    provider.faults.next('badSignature');
    const page = await signIn(agent as never, provider, { as: 'verified' });
    expect(page).toMatchObject({ status: 502, text: expect.stringContaining('id_token_signature_invalid') });
    expect(page).not.toMatchObject({ text: expect.stringMatching(/kid|RS256|eyJ/) });
    await signIn(agent as never, provider, { as: 'verified' });
    expect((await agent.get('/')).text).toBe('in');
  });

  test('attack 99: the tokens that came with it are not kept', async () => {
    const { agent } = await attempt('wrongNonce');
    await agent.get('/profile').expect(401);
    expect(provider.requests.some(({ path }) => path.startsWith('/api/'))).toBe(false);
  });
});

describe('what is right, is accepted', () => {
  test.each<[string, FaultName]>([
    ['attack 14: no kid, and one key is published', 'missingKid'],
    ['attack 31: no at_hash', 'missingAtHash'],
  ])('%s', async (_name, fault) => {
    const { me } = await attempt(fault);
    expect(me.status).toBe(200);
  });

  test('attack 27, 28: signed with a new key, right after the keys were read and again right after that', async () => {
    const agent = supertest.agent(siteFor(provider, { clock: provider.clock }).app);
    await signIn(agent, provider, { as: 'verified' });
    provider.keys.rotate();
    await signIn(agent, provider, { as: 'verified' });
    provider.clock.advance('6 seconds');
    provider.keys.rotate();
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/me').expect(200);
  });

  test('attack 15: no kid, and several keys are published: refused', async () => {
    provider.keys.publish();
    const { me } = await attempt('missingKid');
    expect(me.status).toBe(401);
  });
});
