import { HostileAuthorizationServer } from './hostile-authorization-server.js';
import { clientOf, signIn } from './sign-in.js';

describe('redeeming a code', () => {
  let hostile: HostileAuthorizationServer;
  beforeAll(async () => {
    hostile = await HostileAuthorizationServer.start();
  });
  afterEach(() => hostile.reset());
  afterAll(() => hostile.stop());

  test('signs in by the openid flow', async () => {
    const { tokens } = await signIn(hostile, clientOf(hostile));
    expect(tokens.subject).toBe(hostile.subject);
    expect(tokens.scope).toEqual(['openid']);
    expect(tokens.expiresAt).toBe(1_800_001_800_000);
    expect(tokens.sessionState).toBe('abc+/=.salt');
    expect(tokens.accessToken.reveal()).toMatch(/^planted-access-/);
  });
  test('signs in by the profile flow', async () => {
    const { tokens } = await signIn(hostile, clientOf(hostile, { flow: 'profile' }));
    expect(tokens.subject).toBeUndefined();
    expect(tokens.scope).toEqual(['basic']);
  });
});
