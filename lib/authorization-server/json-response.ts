import { ProtocolError, ServiceUnavailableError } from '../errors.js';
import { parseObject } from '../json.js';

/** A document that the authorization server answered with, or was asked for: its name in sentences, and the code when it is wrong. */
export interface ExpectedDocument {
  name: string;
  code: string;
  /** Media types that hold it. @default application/json */
  types?: readonly string[];
}

/** @throws ServiceUnavailableError `service_error` when the authorization server says that it cannot answer for now. */
export function throwIfUnavailable(response: Response, { name }: ExpectedDocument): void {
  if (response.status >= 500 || response.status === 429) {
    throw new ServiceUnavailableError('service_error', `The service answered ${response.status} instead of ${name}.`);
  }
}

/** @returns the members of the JSON object that the answer holds: right media type, UTF-8 without a mark, no member twice. */
export async function readJSONObject(response: Response, expected: ExpectedDocument): Promise<Record<string, unknown>> {
  const [type = '', ...parameters] = (response.headers.get('content-type') ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  if (!(expected.types ?? ['application/json']).includes(type))
    throw malformed(expected, 'is not JSON by its content type');
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-8"?$/.test(charset)) throw malformed(expected, 'is not in UTF-8');
  const members = parseObject(await readText(response, expected));
  if (members === undefined) throw malformed(expected, 'is not one JSON object with each member once');
  return members;
}

async function readText(response: Response, expected: ExpectedDocument): Promise<string> {
  const bytes = await response.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed(expected, 'is not in UTF-8');
  }
}

/** @returns the error for an answer that breaks a rule. Never quotes the answer: it may hold tokens. */
export function malformed({ name, code }: ExpectedDocument, fault: string): ProtocolError {
  return new ProtocolError(code, `The service's answer is refused: ${name} ${fault}.`);
}
