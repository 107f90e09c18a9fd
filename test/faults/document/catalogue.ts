import { FAULTS, type FaultName } from '../../../lib/mock-provider/mock-provider.js';
import type { Outcome } from '../outcome.js';
import { OUTCOMES } from '../outcomes.js';
import { SIGNING_IN } from '../scenes.js';
import { table } from './markers.js';

type FaultKind = (typeof FAULTS)[FaultName]['kind'];

const TITLES: Readonly<Record<FaultKind, string>> = {
  idToken: 'In the ID Token',
  tokenResponse: 'In the token response',
  redirect: 'In the redirect back',
  logout: 'On the way back from a logout',
  document: 'In the metadata and the keys',
  userinfo: 'In userinfo',
  profile: 'In the profile',
  failure: 'In place of an answer: the request does nothing, and uses up no code and no token',
  response: 'To an answer on its way: the request has done what it does',
};

const code = (text: string) => `\`${text}\``;

/** When it is that something comes of the fault. */
function occasion({ scene }: Outcome): 'signing in' | 'signed in' | 'signing out' {
  if (SIGNING_IN.includes(scene)) return 'signing in';
  return scene === 'logout' ? 'signing out' : 'signed in';
}

function consequence(outcome: Outcome): string {
  const { status, isSignedIn, isRevoked, afterwards, isAsked } = outcome;
  if (isAsked === false) return 'never asked for';
  const signedIn = {
    'signing in': 'is signed in',
    'signed in': 'stays signed in',
    'signing out': 'is still signed in',
  };
  const signedOut = {
    'signing in': 'is not signed in',
    'signed in': 'is signed out',
    'signing out': 'is signed out here all the same',
  };
  const notes = [
    ...(afterwards === 401 ? ['the tokens are lost: what needs them asks for another sign-in'] : []),
    ...(isRevoked && status >= 400 ? ['the tokens are revoked'] : []),
  ];
  const context = (isSignedIn ? signedIn : signedOut)[occasion(outcome)];
  return [`${status >= 400 ? `${status}, ` : ''}${context}`, ...notes].join('; ');
}

/** What comes of one fault, in as few words as it takes. */
function outcomeOf(name: FaultName): string {
  const said = new Map<string, Set<string>>();
  for (const outcome of OUTCOMES[name] ?? []) {
    const occasions = [occasion(outcome), outcome.when].filter(Boolean).join(', ');
    const key = `${occasions}: ${consequence(outcome)}`;
    const codes = said.get(key) ?? new Set();
    if (outcome.code) codes.add(code(outcome.code));
    said.set(key, codes);
  }
  return [...said].map(([what, codes]) => `${what}${codes.size > 0 ? ` (${[...codes].join(', ')})` : ''}`).join('<br>');
}

function row(name: FaultName): string[] {
  const { description, aliases, source } = FAULTS[name];
  return [code(name), description, aliases.map(code).join('<br>'), source, outcomeOf(name)];
}

/** @returns the catalogue of faults, with what comes of each at a site of this package. */
export function catalogueSection(): string {
  const head = ['fault', 'what it does', 'also called', 'source', 'at a site of this package, the person'];
  const names = Object.keys(FAULTS) as FaultName[];
  return Object.entries(TITLES)
    .map(([kind, title]) => {
      const rows = names.filter((name) => FAULTS[name].kind === kind).map(row);
      return `\n### ${title}\n\n${table(head, rows)}`;
    })
    .join('')
    .concat('\n');
}
