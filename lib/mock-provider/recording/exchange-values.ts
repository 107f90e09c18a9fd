import { MASK } from '../http/masking.js';
import { PATHS } from '../http/paths.js';
import { decodeUnverifiedClaims, readOwnIDToken } from '../protocol/id-token.js';
import type { KeyRing } from '../state/keys.js';
import { type Exchange, redirectParameters } from './exchange.js';
import { HARMLESS_MEMBERS } from './masked-record.js';

/** Names the parts of an exchange that have values. `claims`: of the ID Token or the UserInfo JWT in it. */
export const VALUE_PARTS = ['header', 'query', 'form', 'redirect', 'body', 'claims'] as const;
export type ValuePart = (typeof VALUE_PARTS)[number];

/** A JSON value of an exchange, formatted, with the members masked that may be secrets. */
export interface MaskedJSON {
  readonly text: string;
  /** The names of the masked members. */
  readonly masked: readonly string[];
}

/** The provider, as the issuer of ID Tokens. */
export interface TokenIssuer {
  readonly issuer: string;
  readonly keys: Pick<KeyRing, 'byKid'>;
}

/** Names the whole body if it is JSON by its type, but not readable. */
export const WHOLE_BODY = 'the whole body';

/** A user may have the same password elsewhere. */
const NEVER_SHOWN: ReadonlySet<string> = new Set(['password']);
const TOKENS: readonly string[] = ['access_token', 'refresh_token', 'id_token', WHOLE_BODY];
const MAX_JSON_LENGTH = 20_000;

/** @returns one value as it was sent; undefined for an unknown name, and for a password. */
export function readValue(exchange: Exchange, part: ValuePart, name: string): string | undefined {
  const members = membersOf(exchange, part);
  const value = isShowable(name) && Object.hasOwn(members, name) ? members[name] : undefined;
  return typeof value === 'string' || value === undefined ? value : JSON.stringify(value);
}

/** @returns true for the name of a value that is shown on request. */
export function isShowable(name: string): boolean {
  return name !== MASK && !NEVER_SHOWN.has(name);
}

/** @returns the JSON body of the response that the client received. At the token endpoint unknown members are masked. */
export function maskedBody(exchange: Exchange): MaskedJSON | undefined {
  const body = jsonBody(exchange);
  if (body === undefined) return undefined;
  const isTokenResponse = exchange.http.path === PATHS.token;
  return maskJSON(body, (name) => TOKENS.includes(name) || (isTokenResponse && !HARMLESS_MEMBERS.includes(name)));
}

/**
 * @returns the claims of the ID Token or the UserInfo JWT in an exchange. All are masked if a client sent a token of another issuer: its user may
 * be a real one.
 */
export function maskedClaims(exchange: Exchange, { keys, issuer }: TokenIssuer): MaskedJSON | undefined {
  const { issued, sent } = idTokens(exchange);
  const token = issued ?? sent;
  if (token === undefined) return undefined;
  const claims = decodeUnverifiedClaims(token);
  if (Object.keys(claims).length === 0) return undefined;
  const isShown = issued !== undefined || readOwnIDToken(token, keys, issuer) !== undefined;
  return maskJSON(claims, (name) => !isShown || name === 'nonce');
}

function maskJSON(value: unknown, isMasked: (name: string) => boolean): MaskedJSON {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const masked = isObject ? Object.keys(value).filter(isMasked) : [];
  const shown = isObject ? { ...value, ...Object.fromEntries(masked.map((name) => [name, MASK])) } : value;
  const text = JSON.stringify(shown, undefined, 2);
  return { text: text.length > MAX_JSON_LENGTH ? `${text.slice(0, MAX_JSON_LENGTH)}\n...` : text, masked };
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(exchange: Exchange, part: ValuePart): Members {
  const { http } = exchange;
  switch (part) {
    case 'header':
      return { Authorization: http.headers.authorization };
    case 'query':
      return Object.fromEntries(http.query.values);
    case 'form':
      return http.isForm ? Object.fromEntries(http.form.values) : {};
    case 'redirect':
      return redirectParameters(exchange.response.headers.Location);
    case 'body':
      return (jsonBody(exchange) ?? {}) as Members;
    default: {
      const { issued, sent } = idTokens(exchange);
      return decodeUnverifiedClaims(issued ?? sent ?? '');
    }
  }
}

function jsonBody({ response: { headers, body } }: Exchange): unknown {
  if (body === '' || !/^application\/([\w.+-]+\+)?json\b/i.test(String(headers['Content-Type']))) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return { [WHOLE_BODY]: body }; // Altered by a fault.
  }
}

/** @returns the ID Token that the provider issued, and the one that the client sent. */
function idTokens(exchange: Exchange): { readonly issued: string | undefined; readonly sent: string | undefined } {
  const { http } = exchange;
  const issued =
    membersOf(exchange, 'body').id_token ?? redirectParameters(exchange.response.headers.Location).id_token;
  const sent = http.query.get('id_token_hint') ?? (http.isForm ? http.form.get('id_token_hint') : undefined);
  return { issued: typeof issued === 'string' ? issued : undefined, sent };
}
