import { PATHS } from '../http/paths.js';
import type { ClaimFaultName } from './fault-names.js';
import type { IDTokenDraft, IDTokenFault } from './id-token-fault.js';

/** Nobody is there. */
export const EVIL_ISSUER = 'https://evil.example';
/** Nobody has it. */
export const FOREIGN_SUBJECT = '00000000-0000-4000-8000-000000000000';
const FOREIGN_HASH = 'AAAAAAAAAAAAAAAAAAAAAA';
const AN_HOUR = 3600;
const A_DAY = 86_400;

type Claims = Record<string, unknown>;
type Act = IDTokenFault['apply'];

/** Changes the claims; the signature is right. */
function claims(change: (claims: Claims) => Claims): Act {
  return (draft) => {
    draft.claims = { ...draft.claims, ...change(draft.claims) };
  };
}

function without(name: string): Pick<IDTokenFault, 'apply' | 'needs'> {
  return {
    needs: name,
    apply(draft) {
      const { [name]: _, ...rest } = draft.claims;
      draft.claims = rest;
    },
  };
}

function moveTimes(draft: IDTokenDraft, names: readonly string[], seconds: number): void {
  const moved = names.map((name) => [name, (draft.claims[name] as number) + seconds]);
  draft.claims = { ...draft.claims, ...Object.fromEntries(moved) };
}

const rule = (number: number) => `OpenID Connect Core section 3.1.3.7 (${number})`;
const REQUIRED = 'OpenID Connect Core section 2';
const REFRESH_RULE = 'OpenID Connect Core section 12.2';

/** What is wrong in the claims of an ID Token, which is signed rightly. */
export const CLAIM_FAULTS: Readonly<Record<ClaimFaultName, IDTokenFault>> = {
  wrongIssuer: {
    description: 'The ID Token comes from another issuer.',
    source: rule(2),
    aliases: ['oidcc-client-test-invalid-iss', 'invalid-iss', 'rp-id_token-issuer-mismatch'],
    apply: claims(() => ({ iss: EVIL_ISSUER })),
  },
  wrongAudience: {
    description: 'The ID Token is for another client.',
    source: rule(3),
    aliases: ['oidcc-client-test-invalid-aud', 'invalid-aud', 'rp-id_token-aud'],
    apply: claims(() => ({ aud: ['another-client'], azp: 'another-client' })),
  },
  extraAudience: {
    description: 'The ID Token is for the client, and for somebody besides whom it does not trust.',
    source: rule(3),
    apply: claims(({ aud }) => ({ aud: [...(aud as string[]), EVIL_ISSUER] })),
  },
  wrongAzp: {
    description: 'The authorized party of the ID Token is another client.',
    source: rule(5),
    aliases: ['invalid-azp'],
    apply: claims(() => ({ azp: 'another-client' })),
  },
  wrongNonce: {
    description: 'The ID Token of a login has another nonce.',
    source: rule(11),
    aliases: ['oidcc-client-test-nonce-invalid', 'nonce-invalid', 'rp-nonce-invalid', 'invalid-nonce'],
    grantType: 'authorization_code',
    apply: claims(() => ({ nonce: 'another-nonce' })),
  },
  wrongAtHash: {
    description: 'at_hash belongs to another access token.',
    source: 'OpenID Connect Core section 3.1.3.8',
    aliases: ['oidcc-client-test-invalid-athash', 'invalid-athash', 'rp-id_token-bad-at_hash'],
    needs: 'at_hash',
    apply: claims(() => ({ at_hash: FOREIGN_HASH })),
  },
  wrongCHash: {
    description: 'c_hash belongs to another code; response type code id_token only.',
    source: 'OpenID Connect Core section 3.3.2.10',
    aliases: ['oidcc-client-test-invalid-chash', 'invalid-chash', 'rp-id_token-bad-c_hash'],
    needs: 'c_hash',
    apply: claims(() => ({ c_hash: FOREIGN_HASH })),
  },
  wrongSubject: {
    description: 'The ID Token speaks of somebody else.',
    source: REQUIRED,
    apply: claims(() => ({ sub: FOREIGN_SUBJECT })),
  },
  expired: {
    description: 'The ID Token has expired.',
    source: rule(9),
    aliases: ['expired-id-token'],
    apply: claims(({ iat }) => ({ exp: (iat as number) - AN_HOUR })),
  },
  issuedInFuture: {
    description: 'The ID Token was issued an hour from now.',
    source: rule(10),
    apply: (draft) => moveTimes(draft, ['iat', 'exp'], AN_HOUR),
  },
  staleAuthTime: {
    description: 'The person signed in a day ago, by the ID Token.',
    source: rule(13),
    apply: (draft) => moveTimes(draft, ['auth_time'], -A_DAY),
  },
  missingIss: { description: 'iss is missing.', source: REQUIRED, aliases: ['missing-iss'], ...without('iss') },
  missingSub: {
    description: 'sub is missing.',
    source: REQUIRED,
    aliases: ['oidcc-client-test-missing-sub', 'missing-sub', 'rp-id_token-sub'],
    ...without('sub'),
  },
  missingAud: {
    description: 'aud is missing.',
    source: REQUIRED,
    aliases: ['oidcc-client-test-missing-aud', 'missing-aud'],
    ...without('aud'),
  },
  missingAzp: {
    description: 'azp is missing, although there are several audiences.',
    source: rule(4),
    aliases: ['missing-azp'],
    ...without('azp'),
  },
  missingExp: { description: 'exp is missing.', source: REQUIRED, aliases: ['missing-exp'], ...without('exp') },
  missingIat: {
    description: 'iat is missing.',
    source: REQUIRED,
    aliases: ['oidcc-client-test-missing-iat', 'missing-iat', 'rp-id_token-iat'],
    ...without('iat'),
  },
  missingNonce: {
    description: 'nonce is missing, although the client sent one.',
    source: rule(11),
    aliases: ['missing-nonce'],
    ...without('nonce'),
  },
  missingAuthTime: { description: 'auth_time is missing.', source: rule(13), ...without('auth_time') },
  missingAtHash: {
    description: 'at_hash is missing: at the token endpoint a client may accept it.',
    source: 'OpenID Connect Core section 3.1.3.6',
    aliases: ['oidcc-client-test-missing-athash', 'missing-athash', 'rp-id_token-missing-at_hash'],
    ...without('at_hash'),
  },
  missingCHash: {
    description: 'c_hash is missing; response type code id_token only.',
    source: 'OpenID Connect Core section 3.3.2.11',
    aliases: ['oidcc-client-test-missing-chash', 'missing-chash', 'rp-id_token-missing-c_hash'],
    ...without('c_hash'),
  },
  refreshWrongSubject: {
    description: 'The ID Token of a refresh speaks of somebody else.',
    source: REFRESH_RULE,
    aliases: ['oidcc-client-test-refresh-token-invalid-sub', 'refresh-token-invalid-sub'],
    grantType: 'refresh_token',
    apply: claims(() => ({ sub: FOREIGN_SUBJECT })),
  },
  refreshWrongIssuer: {
    description: 'The ID Token of a refresh comes from another issuer.',
    source: REFRESH_RULE,
    aliases: ['oidcc-client-test-refresh-token-invalid-issuer', 'refresh-token-invalid-issuer'],
    grantType: 'refresh_token',
    apply: claims(() => ({ iss: EVIL_ISSUER })),
  },
  serverClockOff: {
    description:
      'The clock of the server is off when it makes an ID Token: iat, exp, auth_time and the Date header are moved.',
    source: rule(10),
    endpoint: PATHS.token,
    endpoints: [PATHS.token],
    options: ['seconds'],
    apply(draft, { options: { seconds = AN_HOUR }, headers }) {
      const now = draft.claims.iat as number;
      moveTimes(draft, ['iat', 'exp', 'auth_time'], seconds);
      headers.Date = new Date((now + seconds) * 1000).toUTCString();
    },
  },
};
