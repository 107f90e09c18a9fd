import type { FaultName } from '../../../lib/mock-provider/mock-provider.js';
import type { Trial } from './attempt.js';

/** What the specifications require of a client in this flow. */
export type Rule = 'must refuse' | 'may accept' | 'must accept';

/** A fault of the content of a response during a sign-in. */
export interface ForgeryTrial extends Trial {
  rule: Rule;
  /** True when only an attacker sends such a response. */
  isForged?: boolean;
}

const JWKS = '/.well-known/jwks.json';
const USERINFO = '/oauth/userinfo';
const TOKEN = '/oauth/token';

function withRule(rule: Rule, names: readonly FaultName[], more: Partial<ForgeryTrial> = {}): ForgeryTrial[] {
  return names.map((fault) => ({ fault, rule, ...more }));
}

export const FORGERY_TRIALS: Readonly<Record<string, readonly ForgeryTrial[]>> = {
  'ID Token': [
    // OpenID Connect Core section 3.1.3.7 (6): a client may trust TLS instead of the signature.
    ...withRule('may accept', ['badSignature', 'embeddedKey', 'unknownKid', 'wrongAtHash'], { isForged: true }),
    ...withRule('must refuse', [
      'algNone',
      'symmetricKeyConfusion',
      'wrongAlgorithm',
      'criticalHeader',
      'malformedIDToken',
      'wrongIssuer',
      'wrongAudience',
      'extraAudience',
      'wrongNonce',
      'expired',
      'missingIss',
      'missingSub',
      'missingAud',
      'missingExp',
      'missingIat',
      'missingNonce',
    ]),
    ...withRule('may accept', ['missingKidSeveralKeys', 'wrongAzp', 'missingAzp', 'issuedInFuture', 'serverClockOff']),
    ...withRule('must accept', ['missingKid', 'missingAtHash', 'keysRotatedAfterSigning']),
    ...withRule('must accept', ['keysRotatedBeforeSigning'], { isSecond: true }),
  ],
  'Token response': [
    ...withRule('must refuse', ['missingAccessToken', 'missingTokenType', 'wrongTokenType', 'missingIDToken']),
    ...withRule('may accept', ['unsafeAccessToken', 'wrongExpiresIn', 'wrongScope']),
    ...withRule('must accept', ['missingRefreshToken', 'missingExpiresIn']),
  ],
  'Authorization response': [
    ...withRule('must refuse', ['missingState', 'wrongState', 'missingCode', 'wrongCode', 'authorizationError']),
    ...withRule('may accept', ['repeatedParameters', 'wrongIssParameter']),
    ...withRule('must accept', ['missingSessionState']),
  ],
  'Userinfo, at a site that requests it': withRule('must refuse', ['userinfoWrongSubject', 'userinfoMissingSubject']),
  'Metadata and JWKS': [
    ...withRule('must refuse', ['discoveryWrongIssuer', 'discoveryMissingIssuer']),
    ...withRule('may accept', ['discoveryMissingJWKSURI']),
    ...withRule('may accept', ['wrongKeys', 'emptyKeys', 'keysWithoutKid'], { always: true }),
    ...withRule('must accept', ['unsupportedKeys']),
  ],
};

function at(endpoint: string, names: readonly FaultName[]): Trial[] {
  // Some libraries retry when the connection is closed, so these faults apply every time.
  return names.map((fault) => ({
    fault,
    options: { endpoint },
    always: fault === 'reset' || fault === 'responseLost',
  }));
}

export const EXCHANGE_TRIALS: Readonly<Record<string, readonly Trial[]>> = {
  'token endpoint': at(TOKEN, [
    'noResponse',
    'reset',
    'responseLost',
    'truncatedResponse',
    'stalledResponse',
    'unexpectedRedirect',
    'errorWithSuccess',
    'serverError',
    'unavailable',
    'rateLimited',
    'codeRefused',
    'malformedJSON',
    'truncatedJSON',
    'emptyBody',
    'nullResponse',
    'repeatedMembers',
    'pollutedJSON',
    'htmlInsteadOfJSON',
    'wrongContentType',
    'oversizedBody',
  ]),
  userinfo: at(USERINFO, ['reset', 'serverError', 'malformedJSON', 'htmlInsteadOfJSON']),
  JWKS: at(JWKS, ['keysDown', 'malformedJSON']).map((trial) => ({ ...trial, always: true })),
};

const NOT_SIGN_IN = 'not part of a sign-in';
const SERVICE_API = 'specific to this service';

/** Faults that are not tried, each with the reason. */
export const UNTRIED: Readonly<Partial<Record<FaultName, string>>> = {
  wrongCHash: 'only for response type `code id_token`',
  missingCHash: 'only for response type `code id_token`',
  wrongSubject: 'no client can detect it at a sign-in',
  staleAuthTime: 'no `max_age` is requested',
  missingAuthTime: 'no `max_age` is requested',
  sessionChanged: 'affects only the session iframe',
  duplicateCallback: 'the first callback has already signed the user in',
  missingIssParameter: 'only where the metadata announces `iss`',
  refreshWrongSubject: NOT_SIGN_IN,
  refreshWrongIssuer: NOT_SIGN_IN,
  refreshRefused: NOT_SIGN_IN,
  refreshLost: NOT_SIGN_IN,
  logoutMissingState: NOT_SIGN_IN,
  logoutWrongState: NOT_SIGN_IN,
  revocationFails: NOT_SIGN_IN,
  profileWrongID: SERVICE_API,
  profileMissingID: SERVICE_API,
  profileMalformed: SERVICE_API,
  accessTokenRefused: SERVICE_API,
  delay: 'each library waits a second',
  slowKeys: 'each library waits a second',
};
