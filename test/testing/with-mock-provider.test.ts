import type { MockProvider } from 'passport-clinician/mock-provider';
import { withMockProvider } from 'passport-clinician/testing';

const metadata = (issuer: string): Promise<Response> => fetch(`${issuer}/.well-known/openid-configuration`);

describe('withMockProvider', () => {
  test('hands over a running provider, hands back what was returned, and stops it', async () => {
    const issuer = await withMockProvider(async (provider) => {
      expect((await metadata(provider.issuer)).status).toBe(200);
      return provider.issuer;
    });
    await expect(metadata(issuer)).rejects.toThrow();
  });

  test('stops it when the test throws', async () => {
    let issuer = '';
    const failing = withMockProvider(async (provider) => {
      issuer = provider.issuer;
      throw new Error('as planned');
    });
    await expect(failing).rejects.toThrow('as planned');
    await expect(metadata(issuer)).rejects.toThrow();
  });

  test('takes options of the provider first', async () => {
    const clinicians = [{ username: 'alice', password: 'secret', npi: 1234567893, firstName: 'Alice', verified: true }];
    await withMockProvider({ clinicians }, (provider) => {
      expect(provider.clinicians.get('alice')).toBeDefined();
    });
  });

  test('says what it misses', async () => {
    const nothing = undefined as unknown as (provider: MockProvider) => void;
    await expect(withMockProvider(nothing)).rejects.toThrow('withMockProvider needs a function');
  });
});
