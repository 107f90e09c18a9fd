import supertest from 'supertest';
import { startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteFor } from './site.js';

test.each(['openid', 'profile'] as const)(
  "a site whose fetch is the provider's signs in without a socket, in the %s flow",
  async (flow) => {
    const provider = await startMockProvider();
    try {
      let asked = 0;
      const fetch: typeof provider.fetch = (...request) => {
        asked += 1;
        return provider.fetch(...request);
      };
      const agent = supertest.agent(siteFor(provider, { flow, fetch }).app);
      await signIn(agent, provider, { as: 'verified' });
      expect((await agent.get('/me').expect(200)).body.verified).toBe('verified');
      expect(asked).toBeGreaterThan(1);
    } finally {
      await provider.stop();
    }
  },
);
