import { createHmac } from 'node:crypto';
import type { Answer } from '../answer.js';
import type { IDTokenDraft } from '../protocol/id-token.js';
import { PATHS } from '../protocol/metadata.js';

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

/** What is wrong with an answer on the wire. */
const WIRE_FAULTS: Readonly<Record<WireFaultName, (answer: Answer, milliseconds: number) => Answer>> = {
  delay: (answer, milliseconds) => ({ ...answer, delay: milliseconds }),
  reset: (answer) => ({ ...answer, silence: 'reset' }),
  noAnswer: (answer) => ({ ...answer, silence: 'hang' }),
  serverError: () => ({
    status: 500,
    headers: { 'Content-Type': 'text/html' },
    body: '<h1>Internal Server Error</h1>',
  }),
  unavailable: () => ({
    status: 503,
    headers: { 'Content-Type': 'application/json' },
    body: '{"error":"temporarily_unavailable"}',
  }),
  malformedJSON: (answer) => ({ ...answer, body: answer.body.slice(0, -1) }),
  htmlInsteadOfJSON: (answer) => ({
    ...answer,
    headers: { ...answer.headers, 'Content-Type': 'text/html' },
    body: '<p>hello</p>',
  }),
};

/** What a provider can be told to do wrong. */
export type FaultName = IDTokenFaultName | WireFaultName;

interface Fault {
  kind: 'id_token' | 'wire';
  endpoint: string | undefined;
}

/** Every fault, with its kind. */
export const FAULTS: Readonly<Record<FaultName, Fault>> = {
  ...(Object.fromEntries(
    Object.keys(ID_TOKEN_FAULTS).map((name) => [name, { kind: 'id_token', endpoint: undefined }]),
  ) as Record<IDTokenFaultName, Fault>),
  ...(Object.fromEntries(
    Object.keys(WIRE_FAULTS).map((name) => [name, { kind: 'wire', endpoint: PATHS.token }]),
  ) as Record<WireFaultName, Fault>),
};

export function spoilIDToken(name: FaultName, draft: IDTokenDraft): void {
  ID_TOKEN_FAULTS[name as IDTokenFaultName](draft);
}

export function spoilAnswer(name: FaultName, answer: Answer, milliseconds: number): Answer {
  return (
    (WIRE_FAULTS as Record<string, (answer: Answer, milliseconds: number) => Answer>)[name]?.(answer, milliseconds) ??
    answer
  );
}
