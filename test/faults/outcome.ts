import type { FlowName } from '../../lib/mock-provider/mock-provider.js';
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

export const both: readonly FlowName[] = ['openid', 'profile'];
export const signIn: Pick<Outcome, 'scene' | 'flow'> = { scene: 'sign-in', flow: 'openid' };
export const works = { status: 200, isSignedIn: true };
export const forged = { status: 502, isSignedIn: false };
type More = Partial<Outcome>;

/** Nobody is signed in by it: the answer of the service is wrong, or forged. */
export const refused = (code: string, attack?: string, more: More = {}): Outcome[] => [
  { ...signIn, ...forged, code, ...(attack && { attack }), ...more },
];
export const accepted = (attack?: string, more: More = {}): Outcome[] => [
  { ...signIn, ...works, ...(attack && { attack }), ...more },
];
/** Nothing of the kind is asked for here, so the fault goes on waiting. */
export const notAsked = (): Outcome[] => [{ ...signIn, ...works, isAsked: false }];
export const inBoth = (outcome: Omit<Outcome, 'flow' | 'scene'> & { scene?: Scene }): Outcome[] =>
  both.map((flow) => ({ scene: 'sign-in', ...outcome, flow }));
export const malformedResponse = (): Outcome[] => inBoth({ ...forged, code: 'token_response_malformed' });

const TOKEN = '/oauth/token';
const REVOKE = '/oauth/revoke';
export const METADATA = '/.well-known/openid-configuration';
export const JWKS = '/.well-known/jwks.json';
const PROFILE = '/api/v1/users/current';
const COLLEAGUES = '/api/v1/colleagues';

/** Every place where a site asks the service, and what an answer there that cannot be read is called. */
export const PLACES: readonly (readonly [Scene, FlowName, endpoint: string, malformed: string])[] = [
  ['start', 'openid', METADATA, 'metadata_malformed'],
  ['sign-in', 'openid', JWKS, 'jwks_malformed'],
  ...both.flatMap((flow) => [
    ['sign-in', flow, TOKEN, 'token_response_malformed'] as const,
    ['sign-in', flow, PROFILE, 'profile_malformed'] as const,
    ['refresh', flow, TOKEN, 'token_response_malformed'] as const,
  ]),
  ['refresh', 'openid', METADATA, 'metadata_malformed'],
  ['refresh', 'openid', JWKS, 'jwks_malformed'],
  ['profile', 'openid', PROFILE, 'profile_malformed'],
  ['verified', 'openid', PROFILE, 'profile_malformed'],
  ['colleagues', 'openid', COLLEAGUES, 'colleagues_malformed'],
];

export const askedAgain: More = { loginPath: '/auth/login?prompt=login', when: 'with `prompt: login`' };
export const inProfile = { scene: 'sign-in', flow: 'profile', when: 'in the `profile` flow' } as const;
export const everyTime: More = { always: true, when: 'when it goes on' };

interface Wire extends Pick<Outcome, 'always' | 'options' | 'recovers' | 'attack'> {
  code?: string;
  status: number;
  /** The request has been done, whatever became of its answer: a refresh has changed the tokens, and they are lost. */
  isDone?: boolean;
}

/** What goes wrong on the wire goes wrong alike everywhere, and signs nobody out. */
export function onTheWire(
  { code, status, isDone = false, options = {}, ...more }: Wire,
  places: typeof PLACES = PLACES,
): Outcome[] {
  return places.map(([scene, flow, endpoint, malformed]) => ({
    ...more,
    scene,
    flow,
    options: { ...options, endpoint },
    status,
    code: code ?? malformed,
    isSignedIn: scene !== 'sign-in' && scene !== 'start',
    isRevoked: scene === 'sign-in' && endpoint === PROFILE,
    ...(isDone && scene === 'refresh' && endpoint === TOKEN && { afterwards: 401 }),
  }));
}
/** A sign-out here does not wait for the service. */
export const atLogout = (code: string, more: More = {}): Outcome[] =>
  both.map((flow) => ({
    scene: 'logout',
    flow,
    options: { endpoint: REVOKE },
    status: 200,
    code,
    isSignedIn: false,
    ...more,
  }));
export const unreadable = (more: More = {}): Outcome[] => onTheWire({ status: 502, isDone: true, ...more });
export const authorizationServer: typeof PLACES = PLACES.filter(([, , endpoint]) => !endpoint.startsWith('/api/'));
export const api: typeof PLACES = PLACES.filter(([, , endpoint]) => endpoint.startsWith('/api/'));
