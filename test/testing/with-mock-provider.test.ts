import { describe, expect, test } from '@jest/globals';
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

  describe('tells with the error of a failed test what the provider saw', () => {
    const thrownBy = async (thrown: unknown, isUsed = true): Promise<unknown> =>
      withMockProvider(async (provider) => {
        if (isUsed) await provider.fetch(`${provider.issuer}/oauth/token?secret=planted`, { method: 'POST' });
        throw thrown;
      }).catch((error: unknown) => error);
    const causesOf = (error: unknown): Error[] =>
      error instanceof Error && error.cause ? [error.cause as Error, ...causesOf(error.cause)] : [];

    test('as its cause, and leaves the error itself as it is', async () => {
      const error = new Error('as planned');
      expect(await thrownBy(error)).toBe(error);
      expect(error.message).toBe('as planned');
      expect(Object.keys(error)).toEqual([]);
      const [cause] = causesOf(error);
      expect(cause?.message).toMatch(/It refused:\n {2}request 1, \/oauth\/token: .*\(form-body-required; /);
      expect(cause?.message).toMatch(/\nsequenceDiagram\n[\s\S]*>>Provider: 1\. POST \/oauth\/token/);
      expect(cause?.message).not.toContain('planted');
    });

    test('after the causes that it has, and only once', async () => {
      const error = new Error('as planned', { cause: new Error('the reason') });
      await thrownBy(error);
      await thrownBy(error);
      expect(causesOf(error).map(({ name, message }) => name + message.slice(0, 10))).toEqual([
        'Errorthe reason',
        'MockProviderwhat the m',
      ]);
    });

    test('but nothing when nothing was asked, or when no error was thrown', async () => {
      const error = new Error('as planned');
      await thrownBy(error, false);
      expect(causesOf(error)).toEqual([]);
      expect(await thrownBy('a text')).toBe('a text');
      const frozen = Object.freeze(new Error('frozen'));
      expect(await thrownBy(frozen)).toBe(frozen);
    });
  });
});
