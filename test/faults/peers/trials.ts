import type { FaultName } from '../../../lib/mock-provider/mock-provider.js';
import type { Trial } from './attempt.js';

/** What the specifications say of a client that meets the fault in this flow. */
export type Rule = 'must refuse' | 'may accept' | 'must accept';

/** Faults of what is said, at a sign-in. */
export interface Forgery extends Trial {
  rule: Rule;
  /** Nobody but a forger gains by it, whatever the rule allows. */
  isForged?: boolean;
}

const JWKS = '/.well-known/jwks.json';
const USERINFO = '/oauth/userinfo';
const TOKEN = '/oauth/token';

function under(rule: Rule, names: readonly FaultName[], more: Partial<Forgery> = {}): Forgery[] {
  return names.map((fault) => ({ fault, rule, ...more }));
}

export const FORGERIES: Readonly<Record<string, readonly Forgery[]>> = {
  'The ID Token': [
    // OpenID Connect Core section 3.1.3.7 (6): a client may trust TLS in place of the signature.
    ...under('may accept', ['badSignature', 'embeddedKey', 'unknownKid', 'wrongAtHash'], { isForged: true }),
    ...under('must refuse', [
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
    ...under('may accept', ['missingKidSeveralKeys', 'wrongAzp', 'missingAzp', 'issuedInFuture', 'serverClockOff']),
    ...under('must accept', ['missingKid', 'missingAtHash', 'keysRotatedAfterSigning']),
    ...under('must accept', ['keysRotatedBeforeSigning'], { isSecond: true }),
  ],
  'The token response': [
    ...under('must refuse', ['missingAccessToken', 'missingTokenType', 'wrongTokenType', 'missingIDToken']),
    ...under('may accept', ['unsafeAccessToken', 'wrongExpiresIn', 'wrongScope']),
    ...under('must accept', ['missingRefreshToken', 'missingExpiresIn']),
  ],
  'The redirect back': [
    ...under('must refuse', ['missingState', 'wrongState', 'missingCode', 'wrongCode', 'authorizationError']),
    ...under('may accept', ['repeatedParameters', 'wrongIssParameter']),
    ...under('must accept', ['missingSessionState']),
  ],
  'Userinfo, for a site that reads it': under('must refuse', ['userinfoWrongSubject', 'userinfoMissingSubject']),
  'The metadata and the keys': [
    ...under('must refuse', ['discoveryWrongIssuer', 'discoveryMissingIssuer']),
    ...under('may accept', ['discoveryMissingJWKSURI']),
    ...under('may accept', ['wrongKeys', 'emptyKeys', 'keysWithoutKid'], { always: true }),
    ...under('must accept', ['unsupportedKeys']),
  ],
};

function at(endpoint: string, names: readonly FaultName[]): Trial[] {
  // Some ask once more where the connection was cut, so that is done to them every time.
  return names.map((fault) => ({
    fault,
    options: { endpoint },
    always: fault === 'reset' || fault === 'responseLost',
  }));
}

export const WIRE: Readonly<Record<string, readonly Trial[]>> = {
  'the token endpoint': at(TOKEN, [
    'noResponse',
    'reset',
    'responseLost',
    'truncatedAnswer',
    'stalledAnswer',
    'redirectInsteadOfAnswer',
    'errorWithSuccess',
    'serverError',
    'unavailable',
    'rateLimited',
    'codeRefused',
    'malformedJSON',
    'truncatedJSON',
    'emptyBody',
    'nullAnswer',
    'repeatedMembers',
    'pollutedJSON',
    'htmlInsteadOfJSON',
    'wrongContentType',
    'oversizedBody',
  ]),
  userinfo: at(USERINFO, ['reset', 'serverError', 'malformedJSON', 'htmlInsteadOfJSON']),
  'the keys': at(JWKS, ['keysDown', 'malformedJSON']).map((trial) => ({ ...trial, always: true })),
};

const ELSEWHERE = 'not part of a sign-in';
const OWN = "the service's own API";

/** Faults that are not tried on the peers, and why. */
export const LEFT_OUT: Readonly<Partial<Record<FaultName, string>>> = {
  wrongCHash: 'in the response type `code id_token` only',
  missingCHash: 'in the response type `code id_token` only',
  wrongSubject: 'at a sign-in nobody can see it',
  staleAuthTime: 'no `max_age` is asked for',
  missingAuthTime: 'no `max_age` is asked for',
  sessionChanged: 'a matter of the session iframe',
  duplicateCallback: 'whoever is signed in by the first one stays so',
  missingIssParameter: 'only where the service promises `iss`',
  refreshWrongSubject: ELSEWHERE,
  refreshWrongIssuer: ELSEWHERE,
  refreshRefused: ELSEWHERE,
  refreshLost: ELSEWHERE,
  logoutMissingState: ELSEWHERE,
  logoutWrongState: ELSEWHERE,
  revocationFails: ELSEWHERE,
  profileWrongID: OWN,
  profileMissingID: OWN,
  profileMalformed: OWN,
  accessTokenRefused: OWN,
  delay: 'everybody waits a moment',
  slowKeys: 'everybody waits a moment',
};
