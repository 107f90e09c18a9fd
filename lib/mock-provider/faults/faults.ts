import { createHmac } from 'node:crypto';
import type { Answer } from '../answer.js';
import { PATHS } from '../paths.js';
import type { IDTokenDraft } from '../protocol/id-token.js';

const EVIL = 'https://evil.example';
const FOREIGN_SUBJECT = '00000000-0000-4000-8000-000000000000';

/** What can be wrong in an ID Token. */
export type IDTokenFaultName =
  | 'badSignature'
  | 'algNone'
  | 'symmetricKeyConfusion'
  | 'unknownKid'
  | 'missingKid'
  | 'wrongIssuer'
  | 'wrongAudience'
  | 'extraAudience'
  | 'wrongAzp'
  | 'wrongNonce'
  | 'wrongAtHash'
  | 'wrongSubject'
  | 'expired'
  | 'issuedInFuture'
  | 'missingIss'
  | 'missingSub'
  | 'missingAud'
  | 'missingAzp'
  | 'missingExp'
  | 'missingIat'
  | 'missingNonce'
  | 'missingAtHash';

/** What can be wrong with an answer on the wire. */
export type WireFaultName =
  | 'delay'
  | 'reset'
  | 'answerLost'
  | 'noAnswer'
  | 'serverError'
  | 'unavailable'
  | 'malformedJSON'
  | 'htmlInsteadOfJSON';

type Spoil = (draft: IDTokenDraft) => void;
type Claims = Record<string, unknown>;

/** Changes the claims, signs the rest rightly. */
function claims(change: (claims: Claims) => Claims): Spoil {
  return (draft) => {
    draft.claims = change(draft.claims);
  };
}
function without(name: string): Spoil {
  return claims(({ [name]: _, ...rest }) => rest);
}
function header(change: Claims): Spoil {
  return (draft) => {
    draft.header = { ...draft.header, ...change };
  };
}

const tokenParts = (token: string): [string, string, string] => token.split('.') as [string, string, string];

function breakSignature(token: string): string {
  const [head, body, signature] = tokenParts(token);
  return `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
}

/** What is wrong in an ID Token. */
const ID_TOKEN_FAULTS: Readonly<Record<IDTokenFaultName, Spoil>> = {
  badSignature: (draft) => {
    draft.finish = breakSignature;
  },
  algNone: (draft) => {
    draft.header = { ...draft.header, alg: 'none' };
    draft.finish = (token) => `${tokenParts(token)[0]}.${tokenParts(token)[1]}.`;
  },
  symmetricKeyConfusion: (draft) => {
    const key = draft.key.publicKey.export({ type: 'spki', format: 'pem' });
    draft.header = { ...draft.header, alg: 'HS256' };
    draft.finish = (token) => {
      const text = tokenParts(token).slice(0, 2).join('.');
      return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
    };
  },
  unknownKid: header({ kid: 'nobody-knows-this-key' }),
  missingKid: (draft) => {
    const { kid: _, ...rest } = draft.header;
    draft.header = rest;
  },
  wrongIssuer: claims((all) => ({ ...all, iss: EVIL })),
  wrongAudience: claims((all) => ({ ...all, aud: ['another-client'], azp: 'another-client' })),
  extraAudience: claims((all) => ({ ...all, aud: [...(all.aud as string[]), EVIL] })),
  wrongAzp: claims((all) => ({ ...all, azp: 'another-client' })),
  wrongNonce: claims((all) => ({ ...all, nonce: 'another-nonce' })),
  wrongAtHash: claims((all) => ({ ...all, at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' })),
  wrongSubject: claims((all) => ({ ...all, sub: FOREIGN_SUBJECT })),
  expired: claims((all) => ({ ...all, exp: (all.iat as number) - 3600 })),
  issuedInFuture: claims((all) => ({ ...all, iat: (all.iat as number) + 3600, exp: (all.exp as number) + 3600 })),
  missingIss: without('iss'),
  missingSub: without('sub'),
  missingAud: without('aud'),
  missingAzp: without('azp'),
  missingExp: without('exp'),
  missingIat: without('iat'),
  missingNonce: without('nonce'),
  missingAtHash: without('at_hash'),
};

type SpoilAnswer = (answer: Answer, milliseconds: number) => Answer;

/** The provider is down: the request does nothing at all, so it uses up no code and no refresh token. */
const DOWN: Partial<Record<WireFaultName, Answer>> = {
  reset: { status: 503, headers: {}, body: '', silence: 'reset' },
  noAnswer: { status: 503, headers: {}, body: '', silence: 'hang' },
  serverError: { status: 500, headers: { 'Content-Type': 'text/html' }, body: '<h1>Internal Server Error</h1>' },
  unavailable: {
    status: 503,
    headers: { 'Content-Type': 'application/json' },
    body: '{"error":"temporarily_unavailable"}',
  },
};

/** The request has done what it does, and its answer comes late, spoilt, or never. */
const SPOILT: Partial<Record<WireFaultName, SpoilAnswer>> = {
  delay: (answer, milliseconds) => ({ ...answer, delay: milliseconds }),
  answerLost: (answer) => ({ ...answer, silence: 'reset' }),
  malformedJSON: (answer) => ({ ...answer, body: answer.body.slice(0, -1) }),
  htmlInsteadOfJSON: (answer) => ({
    ...answer,
    headers: { ...answer.headers, 'Content-Type': 'text/html' },
    body: '<p>hello</p>',
  }),
};

/** What a provider can be told to do wrong. */
export type FaultName = IDTokenFaultName | WireFaultName;

/** `before`: in place of what the endpoint does; `after`: to its answer. */
export type FaultKind = 'id_token' | 'before' | 'after';

/** @returns the kind of a fault, or undefined when there is no such fault. */
export function faultKind(name: string): FaultKind | undefined {
  if (Object.hasOwn(ID_TOKEN_FAULTS, name)) return 'id_token';
  if (Object.hasOwn(DOWN, name)) return 'before';
  return Object.hasOwn(SPOILT, name) ? 'after' : undefined;
}

/** Where a fault strikes unless it is told otherwise; an ID Token is spoilt wherever it is made. */
export function usualEndpoint(kind: FaultKind): string | undefined {
  return kind === 'id_token' ? undefined : PATHS.token;
}

export const FAULT_NAMES: readonly string[] = [
  ...Object.keys(ID_TOKEN_FAULTS),
  ...Object.keys(DOWN),
  ...Object.keys(SPOILT),
];

export function spoilIDToken(name: FaultName, draft: IDTokenDraft): void {
  ID_TOKEN_FAULTS[name as IDTokenFaultName](draft);
}

/** @returns what comes of a request while the provider is down. */
export function answerWhenDown(name: FaultName): Answer {
  const { headers, ...answer } = DOWN[name as WireFaultName] as Answer;
  return { ...answer, headers: { ...headers } };
}

export function spoilAnswer(name: FaultName, answer: Answer, milliseconds: number): Answer {
  return (SPOILT[name as WireFaultName] as SpoilAnswer)(answer, milliseconds);
}
