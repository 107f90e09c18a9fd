import type { MockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { send, sendRaw } from '../wire.js';

export const tokenIn = (page: string): string => /name="inspector-token" content="([\w-]{22,})"/.exec(page)?.[1] ?? '';

/** Calls an operation as the page of a provider does, with more or other headers. */
export async function callOperation(
  provider: MockProvider,
  operation: string,
  body: unknown,
  headers: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of any operation
): Promise<Awaited<ReturnType<typeof sendRaw>> & { json: any }> {
  const token = tokenIn((await send(provider, '/')).text);
  const reply = await sendRaw(provider, {
    method: 'POST',
    path: `/_mock/inspector/operations/${operation}`,
    headers: { 'content-type': 'application/json', 'x-inspector-token': token, ...headers },
    body: JSON.stringify(body),
  });
  return { ...reply, json: reply.text === '' ? undefined : JSON.parse(reply.text) };
}
