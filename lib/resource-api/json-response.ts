import type { ProtocolError } from '../errors.js';
import { parseObject } from '../json.js';

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** @returns an answer's JSON, and the text that it was; throws what `malformed` makes of the reason why it is none. */
export async function readJSONResponse(
  response: Response,
  malformed: (why: string) => ProtocolError,
): Promise<{ json: unknown; text: string }> {
  const text = await response.text();
  if (!JSON_TYPE.test(response.headers.get('content-type') ?? '')) throw malformed('it is not JSON');
  const json = parseObject(text);
  if (json === undefined) throw malformed('it is not one JSON object of sensible depth with each member once');
  return { json, text };
}
