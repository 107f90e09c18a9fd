import { MASK } from '../http/masking.js';
import { PATHS } from '../http/paths.js';
import { PAGE_PATHS } from '../pages/paths.js';
import { answerMessage, lostMessage, message, note, type Participant, sequenceDiagram } from './mermaid.js';
import type { RecordedExchange } from './observation.js';
import type { Problem } from './problems.js';
import type { RecordedLogin, RecordedRequest } from './recorded-request.js';

/** What to trace. */
export interface TraceOptions {
  /** One login, as `provider.logins` counts them. @default all that is recorded, the newest 200 requests */
  login?: number;
}

/** What there is to draw. */
export interface Traced {
  readonly entries: readonly RecordedExchange[];
  readonly logins: readonly RecordedLogin[];
  readonly problems: readonly Problem[];
}

const MOST = 200;
const BY_SITES: ReadonlySet<string> = new Set([
  ...[PATHS.openidConfiguration, PATHS.authorizationServer, PATHS.jwks, PATHS.token, PATHS.revoke, PATHS.userinfo],
]);
/** They tell nothing. */
const DECORATION: ReadonlySet<string> = new Set([PAGE_PATHS.style, PAGE_PATHS.mark]);
const PARTICIPANTS: readonly Participant[] = ['Browser', 'Site', 'Provider'];
const EVERYBODY = 'over Browser,Provider';

/** @returns the exchange as a Mermaid sequence diagram. Throws one sentence for a login that is not recorded. */
export function traceOf({ entries, logins, problems }: Traced, { login }: TraceOptions): string {
  const known = logins.find((one) => one.login === login);
  if (login !== undefined && known === undefined) throw new RangeError(noSuchLogin(login, logins));
  const shown = entries.filter(
    ({ record }) => !DECORATION.has(record.path) && (login === undefined || record.login === login),
  );
  const reasons = new Map(problems.map((problem) => [problem.request, problem]));
  const leftOut = shown.length - MOST;
  const heading = known ? [note(EVERYBODY, titleOf(known))] : [];
  const omission = leftOut > 0 ? [note(EVERYBODY, `${leftOut} earlier requests are left out`)] : [];
  const lines = shown.slice(-MOST).flatMap((entry) => linesOf(entry, reasons.get(entry.record.number)));
  return sequenceDiagram(PARTICIPANTS, [...heading, ...omission, ...lines]);
}

function noSuchLogin(login: number, logins: readonly RecordedLogin[]): string {
  const numbers = logins.map((one) => one.login);
  const there = numbers.length === 0 ? 'None was seen yet.' : `There are ${numbers[0]} to ${numbers.at(-1)}.`;
  return `There is no login ${JSON.stringify(login)} to trace. ${there}`;
}

function titleOf({ login, clinician, clientID, outcome }: RecordedLogin): string {
  return `Login ${login}${clinician ? ` of ${clinician}` : ''}${clientID ? ` at ${clientID}` : ''}: ${outcome}`;
}

function linesOf({ record, isLost }: RecordedExchange, problem: Problem | undefined): string[] {
  const asker = whoAsked(record);
  const lines = [message(asker, 'Provider', requestText(record))];
  if (record.fault) lines.push(note('right of Provider', `fault: ${record.fault}`));
  if (problem) lines.push(note('right of Provider', problemText(problem)));
  if (isLost) return [...lines, lostMessage('Provider', asker, 'no answer')];
  lines.push(answerMessage('Provider', asker, answerText(record)));
  // Seen by nobody here, but this is where a browser goes.
  const back = asker === 'Browser' && record.location?.match(/^[a-z][\w+.-]*:[^?#]*/i)?.[0];
  if (back) lines.push(message('Browser', 'Site', `to ${back}`));
  return lines;
}

/** By what is asked for; a page of the site that asks by itself says where it is from. */
function whoAsked({ path, headers }: RecordedRequest): Participant {
  const isForSites = BY_SITES.has(path) || path.startsWith('/api/');
  return isForSites && headers.origin === undefined ? 'Site' : 'Browser';
}

function requestText({ number, method, path, query, form, authorization, headers }: RecordedRequest): string {
  const parameters = [...parametersText(query), ...parametersText(form)];
  const more = [
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    ...(headers['if-none-match'] === undefined ? [] : ['If-None-Match']),
    ...parameters,
  ];
  return `${number}. ${method} ${path}${more.length > 0 ? ` (${more.join(', ')})` : ''}`;
}

/** What is masked is told by its name alone. */
function parametersText(parameters: Readonly<Record<string, string>>): string[] {
  return Object.entries(parameters).map(([name, value]) => (value === MASK ? name : `${name}=${value}`));
}

function answerText({ status, location, answer }: RecordedRequest): string {
  const { error, ...members } = answer;
  const said = Object.entries(members).filter(([name]) => name !== 'error_description');
  return [
    String(status),
    ...(error === undefined ? [] : [String(error)]),
    ...(location === undefined ? [] : [`to ${location}`]),
    ...said.map(([name, value]) => `${name}=${value}`),
  ].join(' ');
}

function problemText({ error, reason, rule, source, fix }: Problem): string {
  return `${error}: ${reason} (${rule}, ${source})${fix === undefined ? '' : `. ${fix}`}`;
}
