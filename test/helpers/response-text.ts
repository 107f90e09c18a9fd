import type { FetchResponse } from '../../lib/http/http.js';

/** @returns the body of a response as text. */
export async function textOf({ body }: FetchResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (body ?? []) as Iterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
