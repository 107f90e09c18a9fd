import { chunksOf, type FetchResponse } from '../../lib/http/http.js';

/** @returns the body of a response as text. */
export async function textOf(response: FetchResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of chunksOf(response)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
