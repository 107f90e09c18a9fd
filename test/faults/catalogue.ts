import { FAULTS, type FaultKind, type FaultName } from '../../lib/mock-provider/mock-provider.js';
import { code, table } from '../helpers/generated-document.js';
import { type Outcome, SIGN_IN_SCENARIOS } from './outcome.js';
import { OUTCOMES } from './outcomes.js';

const TITLES: Readonly<Record<FaultKind, string>> = {
  idToken: 'ID Token',
  tokenResponse: 'Token response',
  redirect: 'Authorization response',
  logout: 'Redirect after logout',
  document: 'Metadata and JWKS',
  userinfo: 'Userinfo',
  profile: 'Profile',
  failure: 'Failures: the request is not processed and uses no code or token',
  response: 'Responses: the request is processed and its response is changed',
};

type Moment = 'sign-in' | 'while signed in' | 'sign-out';

const SIGNED_IN: Readonly<Record<Moment, string>> = {
  'sign-in': 'signed in',
  'while signed in': 'remains signed in',
  'sign-out': 'still signed in',
};
const SIGNED_OUT: Readonly<Record<Moment, string>> = {
  'sign-in': 'not signed in',
  'while signed in': 'signed out',
  'sign-out': 'signed out at the site',
};

function momentOf({ scenario }: Outcome): Moment {
  if (SIGN_IN_SCENARIOS.includes(scenario)) return 'sign-in';
  return scenario === 'logout' ? 'sign-out' : 'while signed in';
}

function resultOf(outcome: Outcome): string {
  const { status, isSignedIn, isRevoked, afterwards, isRequested } = outcome;
  if (isRequested === false) return 'not requested';
  const notes = [
    ...(afterwards === 401 ? ['the tokens are lost: requests that need them require a new sign-in'] : []),
    ...(isRevoked && status >= 400 ? ['the tokens are revoked'] : []),
  ];
  const result = (isSignedIn ? SIGNED_IN : SIGNED_OUT)[momentOf(outcome)];
  return [`${status >= 400 ? `${status}, ` : ''}${result}`, ...notes].join('; ');
}

/** @returns a line for each distinct result, with the error codes that have it. */
function outcomesOf(name: FaultName): string {
  const codesByResult = new Map<string, Set<string>>();
  for (const outcome of OUTCOMES[name] ?? []) {
    const condition = [momentOf(outcome), outcome.when].filter(Boolean).join(', ');
    const result = `${condition}: ${resultOf(outcome)}`;
    const codes = codesByResult.get(result) ?? new Set();
    if (outcome.code) codes.add(code(outcome.code));
    codesByResult.set(result, codes);
  }
  return [...codesByResult]
    .map(([result, codes]) => `${result}${codes.size > 0 ? ` (${[...codes].join(', ')})` : ''}`)
    .join('<br>');
}

function endpointOf(name: FaultName): string {
  const { endpoint, endpoints, grantType } = FAULTS[name];
  if (endpoint !== '*') return code(endpoint) + (grantType === undefined ? '' : `, ${code(grantType)}`);
  return endpoints.length > 2 ? 'every endpoint' : endpoints.map(code).join(', ');
}

function row(name: FaultName): string[] {
  const { description, aliases, source } = FAULTS[name];
  return [code(name), description, endpointOf(name), aliases.map(code).join('<br>'), source, outcomesOf(name)];
}

/** @returns a table for each kind of fault, with the outcomes at a site of this package. */
export function catalogueSection(): string {
  const head = ['fault', 'effect', 'endpoint', 'aliases', 'source', 'outcome at a site of this package'];
  const names = Object.keys(FAULTS) as FaultName[];
  const sections = Object.entries(TITLES).map(([kind, title]) => {
    const rows = names.filter((name) => FAULTS[name].kind === kind).map(row);
    return `\n### ${title}\n\n${table(head, rows)}`;
  });
  return `${sections.join('')}\n`;
}
