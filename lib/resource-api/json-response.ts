import type { ProtocolError } from '../errors.js';
import { parseObject } from '../json.js';

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** @returns the JSON object of a response and its text. @throws the error that `malformed` creates from the reason */
export async function readJSONResponse(
  response: Response,
  malformed: (reason: string) => ProtocolError,
): Promise<{ json: Record<string, unknown>; text: string }> {
  const text = await response.text();
  if (!JSON_TYPE.test(response.headers.get('content-type') ?? '')) throw malformed('it is not JSON');
  const json = parseObject(text);
  if (json === undefined) throw malformed('it is not a JSON object of at most 32 levels with each member once');
  return { json, text };
}
