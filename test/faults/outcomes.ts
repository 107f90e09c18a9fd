import type { FaultName, FlowName } from '../../lib/mock-provider/mock-provider.js';
import type { Scene, Strike } from './scenes.js';

/** What comes of one fault in one place. */
export interface Outcome extends Omit<Strike, 'fault'> {
  /** Of the page that the person gets. */
  status: number;
  /** The error code that is reported. @default none: nothing is wrong */
  code?: string;
  /** Whether the person is signed in after it. */
  isSignedIn: boolean;
  /** Whether tokens that had come already are revoked. @default false */
  isRevoked?: boolean;
  /** What the person gets who tries the same again: another status than 200. */
  afterwards?: number;
  /** False for a fault of something that is never asked for. @default true */
  isAsked?: boolean;
  /** For a reader: what is different from the other outcomes of the same fault. */
  when?: string;
  /** After how long it works again. @default at once */
  recovers?: string;
  /** The attack that the outcome wards off. */
  attack?: string;
}

const both: readonly FlowName[] = ['openid', 'profile'];
const signIn: Pick<Outcome, 'scene' | 'flow'> = { scene: 'sign-in', flow: 'openid' };
const works = { status: 200, isSignedIn: true };
const forged = { status: 502, isSignedIn: false };
type More = Partial<Outcome>;

/** Nobody is signed in by it: the answer of the service is wrong, or forged. */
const refused = (code: string, attack?: string, more: More = {}): Outcome[] => [
  { ...signIn, ...forged, code, ...(attack && { attack }), ...more },
];
const accepted = (attack?: string, more: More = {}): Outcome[] => [
  { ...signIn, ...works, ...(attack && { attack }), ...more },
];
/** Nothing of the kind is asked for here, so the fault goes on waiting. */
const notAsked = (): Outcome[] => [{ ...signIn, ...works, isAsked: false }];
const inBoth = (outcome: Omit<Outcome, 'flow' | 'scene'> & { scene?: Scene }): Outcome[] =>
  both.map((flow) => ({ scene: 'sign-in', ...outcome, flow }));
const malformedResponse = (): Outcome[] => inBoth({ ...forged, code: 'token_response_malformed' });

const TOKEN = '/oauth/token';
const REVOKE = '/oauth/revoke';
const METADATA = '/.well-known/openid-configuration';
const JWKS = '/.well-known/jwks.json';
const PROFILE = '/api/v1/users/current';
const COLLEAGUES = '/api/v1/colleagues';

/** Every place where a site asks the service, and what an answer there that cannot be read is called. */
const PLACES: readonly (readonly [Scene, FlowName, endpoint: string, malformed: string])[] = [
  ['start', 'openid', METADATA, 'metadata_malformed'],
  ['sign-in', 'openid', JWKS, 'jwks_malformed'],
  ...both.flatMap((flow) => [
    ['sign-in', flow, TOKEN, 'token_response_malformed'] as const,
    ['sign-in', flow, PROFILE, 'profile_malformed'] as const,
    ['refresh', flow, TOKEN, 'token_response_malformed'] as const,
  ]),
  ['profile', 'openid', PROFILE, 'profile_malformed'],
  ['verified', 'openid', PROFILE, 'profile_malformed'],
  ['colleagues', 'openid', COLLEAGUES, 'colleagues_malformed'],
];

const askedAgain: More = { loginPath: '/auth/login?prompt=login', when: 'with `prompt: login`' };
const inProfile = { scene: 'sign-in', flow: 'profile', when: 'in the `profile` flow' } as const;
const everyTime: More = { always: true, when: 'when it goes on' };

interface Wire extends Pick<Outcome, 'always' | 'options' | 'recovers' | 'attack'> {
  code?: string;
  status: number;
  /** The request has been done, whatever became of its answer: a refresh has changed the tokens, and they are lost. */
  isDone?: boolean;
}

/** What goes wrong on the wire goes wrong alike everywhere, and signs nobody out. */
function onTheWire({ code, status, isDone = false, options = {}, ...more }: Wire, places = PLACES): Outcome[] {
  return places.map(([scene, flow, endpoint, malformed]) => ({
    ...more,
    scene,
    flow,
    options: { ...options, endpoint },
    status,
    code: code ?? malformed,
    isSignedIn: scene !== 'sign-in' && scene !== 'start',
    isRevoked: scene === 'sign-in' && endpoint === PROFILE,
    ...(isDone && scene === 'refresh' && { afterwards: 401 }),
  }));
}
/** A sign-out here does not wait for the service. */
const atLogout = (code: string, more: More = {}): Outcome[] =>
  both.map((flow) => ({
    scene: 'logout',
    flow,
    options: { endpoint: REVOKE },
    status: 200,
    code,
    isSignedIn: false,
    ...more,
  }));
const unreadable = (more: More = {}): Outcome[] => onTheWire({ status: 502, isDone: true, ...more });
const authorizationServer = PLACES.filter(([, , endpoint]) => !endpoint.startsWith('/api/'));
const api = PLACES.filter(([, , endpoint]) => endpoint.startsWith('/api/'));

/** What must come of each fault at a site of ours, in every place where it can reach one. */
export const OUTCOMES: Readonly<Partial<Record<FaultName, readonly Outcome[]>>> = {
  badSignature: refused('id_token_signature_invalid', 'attack 18'),
  algNone: refused('id_token_malformed', 'attack 17'),
  symmetricKeyConfusion: refused('id_token_algorithm_refused', 'attack 32, 170'),
  wrongAlgorithm: refused('id_token_algorithm_refused', 'attack 32'),
  unknownKid: refused('id_token_key_unknown', 'attack 174'),
  missingKid: accepted('attack 14'),
  missingKidSeveralKeys: refused('id_token_key_unknown', 'attack 15'),
  embeddedKey: refused('id_token_signature_invalid', 'attack 171'),
  criticalHeader: refused('id_token_malformed', 'attack 172'),
  malformedIDToken: refused('id_token_malformed', 'attack 181'),
  keysRotatedBeforeSigning: accepted('attack 27'),
  keysRotatedAfterSigning: accepted('attack 28'),

  wrongIssuer: refused('id_token_issuer_mismatch', 'attack 10'),
  wrongAudience: refused('id_token_audience_mismatch', 'attack 12'),
  extraAudience: refused('id_token_audience_mismatch', 'attack 179'),
  wrongAzp: refused('id_token_azp_mismatch', 'attack 178'),
  wrongNonce: refused('id_token_nonce_mismatch', 'attack 20'),
  wrongAtHash: refused('id_token_at_hash_mismatch', 'attack 31, 100'),
  wrongCHash: notAsked(),
  wrongSubject: [
    ...accepted(),
    { scene: 'refresh', flow: 'openid', status: 502, code: 'id_token_subject_changed', isSignedIn: false },
  ],
  expired: refused('id_token_expired', 'attack 177'),
  issuedInFuture: refused('id_token_issued_in_future', 'attack 177'),
  staleAuthTime: [...accepted(), ...refused('id_token_auth_time_too_old', 'attack 180', askedAgain)],
  missingIss: refused('id_token_issuer_mismatch'),
  missingSub: refused('id_token_claim_missing', 'attack 11'),
  missingAud: refused('id_token_audience_mismatch', 'attack 29'),
  missingAzp: refused('id_token_azp_mismatch', 'attack 178'),
  missingExp: refused('id_token_claim_missing'),
  missingIat: refused('id_token_claim_missing', 'attack 13'),
  missingNonce: refused('id_token_nonce_mismatch', 'attack 20'),
  missingAuthTime: [...accepted(), ...refused('id_token_claim_missing', 'attack 180', askedAgain)],
  missingAtHash: accepted('attack 31'),
  missingCHash: notAsked(),
  refreshWrongSubject: [
    {
      scene: 'refresh',
      flow: 'openid',
      status: 502,
      code: 'id_token_subject_changed',
      isSignedIn: false,
      attack: 'attack 38',
    },
  ],
  refreshWrongIssuer: [
    {
      scene: 'refresh',
      flow: 'openid',
      status: 502,
      code: 'id_token_issuer_mismatch',
      isSignedIn: true,
      afterwards: 401,
      attack: 'attack 37',
    },
  ],
  serverClockOff: [
    ...refused('id_token_issued_in_future', 'attack 177'),
    ...refused('id_token_expired', 'attack 177', { options: { seconds: -3600 }, when: 'an hour behind' }),
    ...accepted('attack 177', { options: { seconds: 55 }, when: 'within a minute' }),
  ],

  missingAccessToken: malformedResponse(),
  unsafeAccessToken: malformedResponse(),
  missingTokenType: malformedResponse(),
  wrongTokenType: malformedResponse(),
  missingIDToken: refused('id_token_missing', 'attack 182'),
  missingRefreshToken: inBoth(works),
  missingExpiresIn: inBoth(works),
  wrongExpiresIn: malformedResponse(),
  wrongScope: [
    ...accepted(),
    {
      ...inProfile,
      status: 403,
      code: 'identity_missing',
      isSignedIn: false,
      isRevoked: true,
    },
    { scene: 'refresh', flow: 'openid', status: 502, code: 'scope_widened', isSignedIn: true, afterwards: 401 },
  ],

  missingState: inBoth({ status: 403, code: 'state_missing', isSignedIn: false, attack: 'attack 133' }),
  wrongState: inBoth({ status: 403, code: 'transaction_missing', isSignedIn: false, attack: 'attack 130' }),
  missingCode: inBoth({ status: 400, code: 'callback_malformed', isSignedIn: false }),
  wrongCode: inBoth({ status: 401, code: 'invalid_grant', isSignedIn: false }),
  missingIssParameter: [
    { ...signIn, ...forged, code: 'issuer_parameter_mismatch', attack: 'attack 88' },
    { ...inProfile, ...works },
  ],
  wrongIssParameter: inBoth({ status: 502, code: 'issuer_parameter_mismatch', isSignedIn: false, attack: 'attack 88' }),
  missingSessionState: accepted('attack 236'),
  sessionChanged: accepted('attack 230'),
  authorizationError: [
    ...inBoth({ status: 502, code: 'server_error', isSignedIn: false }),
    ...inBoth({
      status: 403,
      code: 'access_denied',
      isSignedIn: false,
      options: { error: 'access_denied' },
      when: 'with `access_denied`',
    }),
  ],
  repeatedParameters: inBoth({ status: 403, code: 'state_missing', isSignedIn: false, attack: 'attack 215' }),
  duplicateCallback: inBoth({ ...works, scene: 'twice', code: 'transaction_missing', attack: 'attack 135' }),
  logoutMissingState: [
    { scene: 'logout', flow: 'openid', status: 200, isSignedIn: false, isRevoked: true, attack: 'attack 41' },
  ],
  logoutWrongState: [
    { scene: 'logout', flow: 'openid', status: 200, isSignedIn: false, isRevoked: true, attack: 'attack 40' },
  ],

  discoveryWrongIssuer: [
    { scene: 'start', flow: 'openid', status: 502, code: 'issuer_mismatch', isSignedIn: false, attack: 'attack 26' },
  ],
  discoveryMissingIssuer: [{ scene: 'start', flow: 'openid', status: 502, code: 'issuer_mismatch', isSignedIn: false }],
  discoveryMissingJWKSURI: [
    { scene: 'start', flow: 'openid', status: 502, code: 'metadata_malformed', isSignedIn: false },
  ],
  wrongKeys: [
    ...accepted(),
    ...refused('id_token_signature_invalid', undefined, { ...everyTime, recovers: '5 seconds' }),
  ],
  emptyKeys: [...accepted(), ...refused('id_token_key_unknown', undefined, { ...everyTime, recovers: '5 seconds' })],
  strangeKeys: accepted('attack 173'),
  keysWithoutKid: [
    ...accepted(),
    ...refused('id_token_key_unknown', undefined, { ...everyTime, recovers: '5 seconds' }),
  ],
  userinfoWrongSubject: notAsked(),
  userinfoMissingSubject: notAsked(),
  profileWrongID: [
    ...accepted(),
    { scene: 'sign-in', flow: 'profile', ...works },
    { scene: 'profile', flow: 'openid', status: 502, code: 'profile_foreign', isSignedIn: true, attack: 'attack 213' },
    { scene: 'verified', flow: 'profile', status: 502, code: 'profile_foreign', isSignedIn: true },
  ],
  profileMissingID: [
    ...inBoth({ status: 502, code: 'profile_malformed', isSignedIn: false, isRevoked: true }),
    { scene: 'profile', flow: 'openid', status: 502, code: 'profile_malformed', isSignedIn: true },
  ],
  profileMalformed: [
    ...inBoth({ status: 502, code: 'profile_malformed', isSignedIn: false, isRevoked: true, attack: 'attack 213' }),
    {
      scene: 'verified',
      flow: 'openid',
      status: 502,
      code: 'profile_malformed',
      isSignedIn: true,
      attack: 'attack 145',
    },
  ],

  reset: [...onTheWire({ status: 503, code: 'service_unreachable', always: true }), ...atLogout('service_unreachable')],
  noAnswer: [...onTheWire({ status: 503, code: 'service_timeout' }), ...atLogout('service_timeout')],
  serverError: [...onTheWire({ status: 503, code: 'service_error' }), ...atLogout('service_error')],
  unavailable: [...onTheWire({ status: 503, code: 'service_error' }), ...atLogout('service_error')],
  errorWithSuccess: [
    {
      scene: 'start',
      flow: 'openid',
      status: 502,
      code: 'issuer_mismatch',
      isSignedIn: false,
      options: { endpoint: METADATA },
    },
    ...accepted(undefined, { options: { endpoint: JWKS } }), // asked for again at once
    ...onTheWire(
      { status: 502 },
      PLACES.filter(([, , endpoint]) => endpoint !== METADATA && endpoint !== JWKS),
    ),
  ],
  redirectInsteadOfAnswer: [
    ...onTheWire({ status: 502, attack: 'attack 202' }, authorizationServer),
    ...onTheWire({ status: 502, code: 'api_response_unexpected', attack: 'attack 202' }, api),
  ],
  rateLimited: [
    ...onTheWire({ status: 503, code: 'rate_limited', recovers: '61 minutes' }, api),
    ...atLogout('service_error'),
  ],
  keysDown: refused('service_error', undefined, { status: 503 }),
  revocationFails: atLogout('service_error'),
  codeRefused: inBoth({ status: 401, code: 'invalid_grant', isSignedIn: false }),
  refreshRefused: both.map((flow) => ({ scene: 'refresh', flow, status: 401, code: 'grant_ended', isSignedIn: false })),
  accessTokenRefused: [
    ...inBoth({ status: 401, code: 'access_token_refused', isSignedIn: false, isRevoked: true }),
    { scene: 'profile', flow: 'openid', ...works },
  ],

  delay: inBoth({ ...works, options: { milliseconds: 20 } }),
  slowKeys: accepted(undefined, { options: { milliseconds: 20 } }),
  answerLost: onTheWire({ status: 503, code: 'service_unreachable', always: true, isDone: true }),
  refreshLost: both.map((flow) => ({
    scene: 'refresh',
    flow,
    status: 503,
    code: 'service_unreachable',
    isSignedIn: true,
    afterwards: 401,
    attack: 'attack 192',
  })),
  malformedJSON: unreadable(),
  truncatedJSON: unreadable(),
  truncatedAnswer: onTheWire({ status: 503, code: 'service_unreachable', isDone: true }),
  stalledAnswer: onTheWire({ status: 503, code: 'service_timeout', isDone: true }),
  nullAnswer: unreadable(),
  repeatedMembers: unreadable(),
  pollutedJSON: PLACES.map(([scene, flow, endpoint]) => ({
    ...works,
    scene,
    flow,
    options: { endpoint },
    attack: 'attack 212',
    ...(scene === 'start' && { status: 302, isSignedIn: false }),
  })),
  htmlInsteadOfJSON: unreadable(),
  wrongContentType: unreadable(),
  oversizedBody: unreadable({ code: 'response_too_large' }),
  emptyBody: unreadable(),
};
