import { MASK } from '../http/masking.js';
import { PATHS } from '../http/paths.js';
import type { ProviderResponse } from '../http/response.js';
import { decodeUnverifiedClaims, type IDTokens } from '../protocol/id-token.js';
import { type Exchange, redirectParameters } from '../recording/exchange.js';
import { HARMLESS_MEMBERS } from '../recording/masked-record.js';
import type { RecordedRequest } from '../recording/recorded-request.js';

/** Names the parts of an exchange that have values. `claims`: of the ID Token in it. */
export const VALUE_PARTS = ['header', 'query', 'form', 'redirect', 'body', 'claims'] as const;
export type ValuePart = (typeof VALUE_PARTS)[number];

type Members = Readonly<Record<string, unknown>>;

/** A value of an exchange. */
interface ShownValue {
  readonly name: string;
  readonly value: string;
  /** The part of the exchange, when the value is masked and can be read on request. */
  readonly part?: ValuePart;
}

/** The values of one part of an exchange. */
export interface ValueSection {
  readonly title: 'Request' | 'Redirect' | 'Response' | 'ID Token claims';
  /** A body, formatted. Its masked members are in {@link values}. */
  readonly json?: string;
  readonly values: readonly ShownValue[];
}

/** Names the whole body if it is JSON by its type, but not readable. */
const WHOLE_BODY = 'the whole body';
const TOKENS: readonly string[] = ['access_token', 'refresh_token', 'id_token', WHOLE_BODY];
/** A user may have the same password elsewhere. */
const NEVER_SHOWN: ReadonlySet<string> = new Set(['password']);
const MAX_JSON_LENGTH = 20_000;

/** @returns true for the name of a value that is shown on request. */
function isShowable(name: string): boolean {
  return name !== MASK && !NEVER_SHOWN.has(name);
}

/** @returns one value as it was sent; undefined for an unknown name, and for a password. */
export function readValue(exchange: Exchange, part: ValuePart, name: string): string | undefined {
  const members = partsOf(exchange)[part];
  const value = isShowable(name) && Object.hasOwn(members, name) ? members[name] : undefined;
  return typeof value === 'string' || value === undefined ? value : JSON.stringify(value);
}

/**
 * @param exchange the exchange with its values; undefined when they are not stored
 * @returns what an exchange sent and received, with each value masked that may be a secret.
 */
export function valueSections(
  { query, form, authorization, location }: RecordedRequest,
  exchange: Exchange | undefined,
  idTokens: IDTokens,
): readonly ValueSection[] {
  const valuesOf = (part: ValuePart, values: Readonly<Record<string, string>>): ShownValue[] =>
    Object.entries(values).map(([name, value]) => {
      const isMasked = value === MASK && exchange !== undefined && isShowable(name);
      return { name, value, ...(isMasked && { part }) };
    });
  const header: ShownValue[] =
    authorization === undefined
      ? []
      : [{ name: 'Authorization', value: `${authorization} ...`, ...(exchange && { part: 'header' }) }];
  const sections: ValueSection[] = [
    { title: 'Request', values: [...header, ...valuesOf('query', query), ...valuesOf('form', form)] },
    { title: 'Redirect', values: valuesOf('redirect', redirectParameters(location)) },
    ...(exchange ? [bodySection(exchange), claimsSection(exchange, idTokens)] : []),
  ];
  return sections.filter(({ json, values }) => json !== undefined || values.length > 0);
}

/** @returns the JSON body of the response that the client received. At the token endpoint unknown members are masked. */
function bodySection({ http, response }: Exchange): ValueSection {
  const isTokenResponse = http.path === PATHS.token;
  return jsonSection('Response', 'body', jsonBody(response), (name) => {
    return TOKENS.includes(name) || (isTokenResponse && !HARMLESS_MEMBERS.includes(name));
  });
}

/**
 * @returns the claims of the ID Token in an exchange. All are masked if a client sent a token of another issuer: its user may be a
 * real one.
 */
function claimsSection(exchange: Exchange, idTokens: IDTokens): ValueSection {
  const { issued, sent = '' } = idTokensOf(exchange);
  const claims = decodeUnverifiedClaims(issued ?? sent);
  const isShown = issued !== undefined || idTokens.readOwn(sent) !== undefined;
  const shown = Object.keys(claims).length === 0 ? undefined : claims;
  return jsonSection('ID Token claims', 'claims', shown, (name) => !isShown || name === 'nonce');
}

function jsonSection(
  title: ValueSection['title'],
  part: ValuePart,
  value: unknown,
  isMasked: (name: string) => boolean,
): ValueSection {
  if (value === undefined) return { title, values: [] };
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const masked = isObject ? Object.keys(value).filter(isMasked) : [];
  const shown = isObject ? { ...value, ...Object.fromEntries(masked.map((name) => [name, MASK])) } : value;
  const text = JSON.stringify(shown, undefined, 2);
  const json = text.length > MAX_JSON_LENGTH ? `${text.slice(0, MAX_JSON_LENGTH)}\n...` : text;
  return { title, json, values: masked.map((name) => ({ name, value: MASK, ...(isShowable(name) && { part }) })) };
}

function partsOf(exchange: Exchange): Readonly<Record<ValuePart, Members>> {
  const { http, response } = exchange;
  const { issued, sent } = idTokensOf(exchange);
  return {
    header: { Authorization: http.headers.authorization },
    query: Object.fromEntries(http.query.values),
    form: http.isForm ? Object.fromEntries(http.form.values) : {},
    redirect: redirectParameters(response.headers.Location),
    body: (jsonBody(response) ?? {}) as Members,
    claims: decodeUnverifiedClaims(issued ?? sent ?? ''),
  };
}

function jsonBody({ headers, body }: ProviderResponse): unknown {
  if (body === '' || !/^application\/([\w.+-]+\+)?json\b/i.test(String(headers['Content-Type']))) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return { [WHOLE_BODY]: body }; // Altered by a fault.
  }
}

/** @returns the ID Token that the provider issued, and the one that the client sent. */
function idTokensOf({ http, response }: Exchange): { issued: string | undefined; sent: string | undefined } {
  const { id_token: inBody } = (jsonBody(response) ?? {}) as Members;
  const issued = inBody ?? redirectParameters(response.headers.Location).id_token;
  const sent = http.query.get('id_token_hint') ?? (http.isForm ? http.form.get('id_token_hint') : undefined);
  return { issued: typeof issued === 'string' ? issued : undefined, sent };
}
