import { isUtf8 } from 'node:buffer';
import { isClinicianError, ProtocolError, ServiceUnavailableError } from '../errors/errors.js';
import type { FetchResponse } from './http.js';

const MAX_DEPTH = 32;
/** Bounds the time of a parse to a few milliseconds. 100 colleagues have about 1,000 values. */
const MAX_VALUES = 10_000;
/** The member names that access a prototype when they are assigned. */
export const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const MAX_SIZE = 100_000;
const JSON_TYPE = /^application\/json$/;
/** A media type with parameters (RFC 9110 section 8.3.1). A comma outside of quotes would separate the values of two headers. */
const CONTENT_TYPE = /^([^\s;,"]+)[\t ]*(?:;(?:[^",]|"(?:[^"\\]|\\.)*")*)?$/;
/** A string, which may not be complete, or a character that begins, ends or separates values. */
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],]/gs;

/**
 * Parses a JSON object of at most 32 levels and 10,000 values: text, or bytes in UTF-8 without a byte order mark. Rejects a member
 * name that is repeated, at any depth (RFC 7519 section 4, RFC 8259 section 4).
 * @returns undefined for anything else
 */
export function parseObject(source: string | Buffer): Record<string, unknown> | undefined {
  try {
    const text = source.toString();
    if (!(typeof source === 'string' || isUtf8(source)) || !isAcceptable(text)) return undefined;
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** @returns the object without its undefined members. */
export function defined<O extends object>(object: O): { [K in keyof O]?: Exclude<O[K], undefined> } {
  const members: Partial<O> = {};
  for (const name of Object.keys(object) as (keyof O)[]) if (object[name] !== undefined) members[name] = object[name];
  return members as { [K in keyof O]?: Exclude<O[K], undefined> };
}

/**
 * Checks the levels, the number of values and the member names of JSON text before it is parsed. Takes linear time also for text
 * that is not JSON. The string after `{`, or after `,` in an object, is a member name.
 */
function isAcceptable(text: string): boolean {
  /** The member names of each object that is open; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let nameMayFollow = false;
  let values = 0;
  for (const [token] of text.matchAll(JSON_TOKEN)) {
    const names = open.at(-1);
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : undefined);
      values += 1;
    } else if (token === ',') {
      values += 1;
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (nameMayFollow && names !== undefined) {
      const name: string = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1);
      if (names.has(name)) return false;
      names.add(name);
    }
    nameMayFollow = token === '{' || (token === ',' && names !== undefined);
    if (open.length > MAX_DEPTH || values > MAX_VALUES) return false;
  }
  return true;
}

/** A JSON document of the service. */
export interface JSONDocument {
  /** Its name in messages. */
  name: string;
  /** The accepted media type. @default application/json */
  mediaType?: RegExp;
  /** The maximum size, in bytes. @default 100000 */
  maxSize?: number;
}

/**
 * @param reason a phrase that completes "the document ..."
 * @returns the error for a document that violates a rule. It never quotes the document, which may contain tokens.
 */
export function malformed({ name }: JSONDocument, reason: string): ProtocolError {
  return new ProtocolError('response_malformed', `The service's response was rejected: ${name} ${reason}.`);
}

/** The members of a JSON object, and its text. */
type JSONObject = { json: Record<string, unknown>; text: string };

/**
 * Reads a JSON object with the right media type: UTF-8 without a byte order mark, at most 32 levels and 10,000 values, and no
 * member twice. A longer body is not read to its end, also if the site's own fetch has no limit. JSON is UTF-8 whatever its
 * parameter `charset` says (RFC 8259 sections 8.1 and 11): Spring Authorization Server sends ISO-8859-1.
 * @throws ProtocolError `response_malformed`, ServiceUnavailableError `service_unreachable`
 */
export async function readJSONDocument(response: FetchResponse, document: JSONDocument): Promise<JSONObject> {
  const { mediaType, maxSize = MAX_SIZE } = document;
  if (!hasJSONType(response, mediaType)) {
    await response.body?.cancel();
    throw malformed(document, 'does not have the content type of JSON');
  }
  const body = await readBody(response, maxSize);
  const text = isUtf8(body) ? body.toString() : '';
  const json = parseObject(text);
  if (json === undefined) throw malformed(document, 'is not a JSON object in UTF-8 with each member once');
  return { json, text };
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
    // Compilers before TypeScript 6 do not know that a ReadableStream of the DOM is iterable. Leaving the loop cancels the body.
    const body = response.body as AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null;
    for await (const chunk of body ?? []) {
      size += chunk.length;
      if (size > maxSize) {
        throw new ProtocolError('response_malformed', `The service sent a document of more than ${maxSize} bytes.`);
      }
      chunks.push(chunk);
    }
  } catch (error) {
    if (isClinicianError(error)) throw error;
    const message = 'The connection ended before the response was complete. Retry later.';
    throw new ServiceUnavailableError('service_unreachable', message);
  }
  return Buffer.concat(chunks);
}
