import { MASK } from '../http/masking.js';
import { isAPIPath, PAGE_PATHS, PATHS } from '../http/paths.js';
import type { RecordedExchange } from './observation.js';
import type { Problem } from './problems.js';
import type { RecordedLogin, RecordedRequest } from './recorded-request.js';

/** The options of `provider.trace()`. */
export interface TraceOptions {
  /** Traces only this login, by its number in `provider.logins`. @default the newest 200 recorded requests */
  login?: number;
}

/** The records that a trace shows. */
interface Records {
  readonly exchanges: readonly RecordedExchange[];
  readonly logins: readonly RecordedLogin[];
  readonly problems: readonly Problem[];
}

const MAX_REQUESTS = 200;
const MAX_TEXT_LENGTH = 400;
const HEAD = ['sequenceDiagram', '    participant Browser', '    participant Site', '    participant Provider'];
const OVER_ALL = 'Note over Browser,Provider';
const RIGHT_OF_PROVIDER = 'Note right of Provider';
/** A site requests these paths and the resource API, unless the request has an Origin. */
const SITE_PATHS: ReadonlySet<string> = new Set([
  ...[PATHS.openidConfiguration, PATHS.authorizationServer, PATHS.jwks, PATHS.token, PATHS.revoke, PATHS.userinfo],
]);
/** Style sheets and images are left out. */
const OMITTED_PATHS: ReadonlySet<string> = new Set([PAGE_PATHS.style, PAGE_PATHS.logo]);

/** @returns the exchanges as a Mermaid sequence diagram. Throws a RangeError for a login that is not recorded. */
export function traceOf({ exchanges, logins, problems }: Records, { login }: TraceOptions): string {
  const traced = logins.find((one) => one.login === login);
  if (login !== undefined && traced === undefined) throw new RangeError(unknownLoginMessage(login, logins));
  const shown = exchanges.filter(
    ({ record }) => !OMITTED_PATHS.has(record.path) && (login === undefined || record.login === login),
  );
  const problemOf = new Map(problems.map((problem) => [problem.request, problem]));
  const omitted = shown.length - MAX_REQUESTS;
  return [
    ...HEAD,
    ...(traced ? [message(OVER_ALL, titleOf(traced))] : []),
    ...(omitted > 0 ? [message(OVER_ALL, `${omitted} earlier requests are omitted`)] : []),
    ...shown.slice(-MAX_REQUESTS).flatMap((exchange) => linesOf(exchange, problemOf.get(exchange.record.number))),
    '',
  ].join('\n');
}

function unknownLoginMessage(login: number, logins: readonly RecordedLogin[]): string {
  const [first, last] = [logins.at(0)?.login, logins.at(-1)?.login];
  const known = first === undefined ? 'No login is recorded.' : `The recorded logins are ${first} to ${last}.`;
  return `There is no login ${JSON.stringify(login)} to trace. ${known}`;
}

function titleOf({ login, clinician, clientID, outcome }: RecordedLogin): string {
  return `Login ${login}${clinician ? ` of ${clinician}` : ''}${clientID ? ` at ${clientID}` : ''}: ${outcome}`;
}

function linesOf({ record, isLost }: RecordedExchange, problem: Problem | undefined): string[] {
  const sender = isSentBySite(record) ? 'Site' : 'Browser';
  const lines = [message(`${sender}->>Provider`, requestText(record))];
  if (record.fault) lines.push(message(RIGHT_OF_PROVIDER, `fault: ${record.fault}`));
  if (problem) lines.push(message(RIGHT_OF_PROVIDER, problemText(problem)));
  if (isLost) return [...lines, message(`Provider--x${sender}`, 'no response')];
  lines.push(message(`Provider-->>${sender}`, responseText(record)));
  // The provider does not see this request, but a browser follows the redirect.
  const [target] = (sender === 'Browser' && record.location?.match(/^[a-z][\w+.-]*:[^?#]*/i)) || [];
  if (target) lines.push(message('Browser->>Site', `to ${target}`));
  return lines;
}

/** @returns a line of the diagram: an arrow or a note, and its text. */
function message(what: string, text: string): string {
  return `    ${what}: ${mermaidText(text)}`;
}

/**
 * @returns a text that is safe in a message or a note of a Mermaid diagram. There a line break, a semicolon or a hash ends the
 * text, two percent signs start a comment, and angle brackets are markup. Entities are written `#59;`.
 */
export function mermaidText(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  const short = line.length > MAX_TEXT_LENGTH ? `${line.slice(0, MAX_TEXT_LENGTH)}...` : line;
  const safe = short.replace(/[#;<>]|%(?=%)/g, (character) => `#${character.charCodeAt(0)};`);
  // A text must not be empty. One that starts with "wrap:" or "nowrap:" is a directive.
  return safe === '' ? '-' : safe.replace(/^(?=(no)?wrap:)/i, '- ');
}

/** Decides by the path. Only a script in a page sends an Origin to the paths of a site. */
export function isSentBySite({ path, headers }: RecordedRequest): boolean {
  const isForSites = SITE_PATHS.has(path) || isAPIPath(path);
  return isForSites && headers.origin === undefined;
}

function requestText({ number, method, path, query, form, authorization, headers }: RecordedRequest): string {
  const parts = [
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    ...(headers['if-none-match'] === undefined ? [] : ['If-None-Match']),
    ...parameterTexts(query),
    ...parameterTexts(form),
  ];
  return `${number}. ${method} ${path}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
}

/** @returns `name=value` for each parameter, and only the name if the value is masked. */
function parameterTexts(parameters: Readonly<Record<string, string>>): string[] {
  return Object.entries(parameters).map(([name, value]) => (value === MASK ? name : `${name}=${value}`));
}

function responseText({ status, location, response }: RecordedRequest): string {
  const { error, error_description: _, ...members } = response;
  return [
    String(status),
    ...(error === undefined ? [] : [String(error)]),
    ...(location === undefined ? [] : [`to ${location}`]),
    ...Object.entries(members).map(([name, value]) => `${name}=${value}`),
  ].join(' ');
}

function problemText({ error, reason, rule, source, fix }: Problem): string {
  return `${error}: ${reason} (${rule}, ${source})${fix === undefined ? '' : `. ${fix}`}`;
}
