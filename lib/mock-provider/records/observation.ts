import type { Answer } from '../answer.js';
import { digest } from '../digest.js';
import { PATHS } from '../paths.js';
import type { MockRequest } from '../request.js';

/** What tells that two requests belong together: digests, taken while a request is recorded; never the secret itself. */
export interface Observation {
  /** The authorization request as a whole: who reloads the page asks again for the same. */
  authorization?: string;
  /** What the request brought: an interaction, a code, tokens. */
  readonly brought: Readonly<Record<string, string>>;
  /** What the answer gave. */
  readonly given: Readonly<Record<string, string>>;
}

const BEARER = /^bearer +(.*?) *$/i;
const INTERACTION_IN_PAGE = /name="interaction" value="([^"]+)"/;
/** The form fields that link a request with what was before. */
const LINKS = ['interaction', 'code', 'refresh_token', 'token', 'access_token', 'id_token_hint'];
const GIVEN_BY_TOKEN_ENDPOINT = ['access_token', 'refresh_token', 'id_token'];

/**
 * @param answer as the endpoint gave it, before a fault spoilt it: a pair whose answer was lost is a pair
 * @param location what the answer's Location says, by name
 */
export function observe(http: MockRequest, answer: Answer, location: ReadonlyMap<string, string>): Observation {
  const brought: Record<string, string> = {};
  const given: Record<string, string> = {};
  for (const name of LINKS) {
    const value = (http.isForm ? http.form.get(name) : undefined) ?? (http.search && http.query.get(name));
    if (value) brought[name] = digest(value);
  }
  const [, bearer] = (http.headers.authorization && BEARER.exec(http.headers.authorization)) || [];
  if (bearer) brought.access_token = digest(bearer);
  for (const name of ['code', 'id_token', 'interaction']) {
    const value = location.get(name);
    if (value) given[name] = digest(value);
  }
  if (http.path === PATHS.token && answer.status === 200) {
    const body = JSON.parse(answer.body) as Record<string, unknown>;
    for (const name of GIVEN_BY_TOKEN_ENDPOINT) {
      if (typeof body[name] === 'string') given[name] = digest(body[name]);
    }
  }
  const [, shown] = (isPage(answer) && INTERACTION_IN_PAGE.exec(answer.body)) || [];
  if (shown) given.interaction = digest(shown);
  const isAuthorization = http.path === PATHS.authorize && (http.method === 'GET' || http.method === 'POST');
  return { brought, given, ...(isAuthorization && { authorization: digest(`${http.search} ${http.body}`) }) };
}

function isPage({ headers }: Answer): boolean {
  const type = headers['Content-Type'];
  return typeof type === 'string' && type.startsWith('text/html');
}
