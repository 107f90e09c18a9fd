import { describe, expect, test } from '@jest/globals';
import type { MockProvider } from 'passport-clinician/mock-provider';
import { withMockProvider } from 'passport-clinician/testing';
import { freePort } from '../helpers.js';

const metadata = (issuer: string): Promise<Response> => fetch(`${issuer}/.well-known/openid-configuration`);

describe('withMockProvider', () => {
  test('starts a provider, returns the result of the function, and stops the provider, also after an error', async () => {
    const issuers: string[] = [];
    const use = async ({ issuer }: MockProvider) => {
      issuers.push(issuer);
      return (await metadata(issuer)).status;
    };
    expect(await withMockProvider({ port: await freePort() }, use)).toBe(200);
    const failing = withMockProvider(async (provider) => {
      await use(provider);
      throw new Error('planned error');
    });
    await expect(failing).rejects.toThrow('planned error');
    for (const issuer of issuers) await expect(metadata(issuer)).rejects.toThrow();
  });

  describe('adds the requests of the provider to the error of a failed test', () => {
    const thrownBy = async (thrown: unknown, isUsed = true): Promise<unknown> =>
      withMockProvider(async (provider) => {
        if (isUsed) await provider.fetch(`${provider.issuer}/oauth/token?secret=planted`, { method: 'POST' });
        throw thrown;
      }).catch((error: unknown) => error);
    const causesOf = (error: unknown): Error[] =>
      error instanceof Error && error.cause ? [error.cause as Error, ...causesOf(error.cause)] : [];

    test('as its cause, without another change', async () => {
      const error = new Error('planned error');
      expect(await thrownBy(error)).toBe(error);
      expect(error.message).toBe('planned error');
      expect(Object.keys(error)).toEqual([]);
      const [cause] = causesOf(error);
      expect(cause?.message).toMatch(/It refused:\n {2}request 1, \/oauth\/token: .*\(form-body-required; /);
      expect(cause?.message).toMatch(/\nsequenceDiagram\n[\s\S]*>>Provider: 1\. POST \/oauth\/token/);
      expect(cause?.message).not.toContain('planted');
    });

    test('after its own causes, and only once', async () => {
      const error = new Error('planned error', { cause: new Error('the reason') });
      await thrownBy(error);
      await thrownBy(error);
      expect(causesOf(error).map(({ name, message }) => name + message.slice(0, 10))).toEqual([
        'Errorthe reason',
        'MockProviderthe reques',
      ]);
    });

    test('only when there were requests and an extensible error was thrown', async () => {
      const error = new Error('planned error');
      await thrownBy(error, false);
      expect(causesOf(error)).toEqual([]);
      expect(await thrownBy('a string')).toBe('a string');
      const frozen = Object.freeze(new Error('frozen'));
      expect(await thrownBy(frozen)).toBe(frozen);
    });
  });
});
