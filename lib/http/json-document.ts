import { isClinicianError, ProtocolError, ServiceUnavailableError } from '../errors/errors.js';
import { chunksOf, type FetchResponse } from './http.js';
import { parseUTF8Object } from './json.js';

/** Describes a JSON document of the service. */
interface JSONDocument {
  /** The accepted media type. @default application/json */
  mediaType?: RegExp;
  /** The maximum size, in bytes. @default 100000 */
  maxSize?: number;
  /** @param reason a phrase that completes "the document ..." @returns the error for a document that is not valid */
  malformed: (reason: string) => ProtocolError;
}

/** Holds the members of a JSON object, and its text. */
interface JSONObject {
  json: Record<string, unknown>;
  text: string;
}

const MAX_SIZE = 100_000;
const JSON_TYPE = /^application\/json$/;
/** A media type with parameters (RFC 9110 section 8.3.1). A comma outside of quotes would separate the values of two headers. */
const CONTENT_TYPE = /^([^\s;,"]+)[\t ]*(?:;(?:[^",]|"(?:[^"\\]|\\.)*")*)?$/;

/**
 * Reads a JSON object with the right media type: UTF-8 without a byte order mark, at most 32 levels and 10,000 values, and no
 * member twice. A longer body is not read to its end, also where the site's own fetch has no limit. JSON is UTF-8 whatever its
 * parameter `charset` says (RFC 8259 sections 8.1 and 11): Spring Authorization Server sends ISO-8859-1.
 * @throws the error of `malformed`, ProtocolError `response_too_large`, ServiceUnavailableError `service_unreachable`
 */
export async function readJSONDocument(response: FetchResponse, document: JSONDocument): Promise<JSONObject> {
  const { mediaType, maxSize = MAX_SIZE, malformed } = document;
  if (!hasJSONType(response, mediaType)) {
    await response.body?.cancel();
    throw malformed('does not have the content type of JSON');
  }
  const body = await readBody(response, maxSize);
  const json = parseUTF8Object(body);
  if (json === undefined) throw malformed('is not a JSON object in UTF-8 with each member once');
  return { json, text: body.toString() };
}

/** @returns true for a response with one content type, and the right one. */
export function hasJSONType({ headers }: FetchResponse, mediaType: RegExp = JSON_TYPE): boolean {
  const [, type = ''] = CONTENT_TYPE.exec(headers.get('content-type') ?? '') ?? [];
  return mediaType.test(type.toLowerCase());
}

async function readBody(response: FetchResponse, maxSize: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    // Leaving the loop cancels the body.
    for await (const chunk of chunksOf(response)) {
      size += chunk.length;
      if (size > maxSize) {
        throw new ProtocolError('response_too_large', `The service sent a document of more than ${maxSize} bytes.`);
      }
      chunks.push(chunk);
    }
  } catch (error) {
    if (isClinicianError(error)) throw error;
    const message = "The connection ended before the service's response did. Retry later.";
    throw new ServiceUnavailableError('service_unreachable', message);
  }
  return Buffer.concat(chunks);
}
