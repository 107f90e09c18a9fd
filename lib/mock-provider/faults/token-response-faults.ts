import { PATHS } from '../http/paths.js';
import type { FaultDefinition, KindDefaults } from './fault.js';
import type { TokenResponseFaultName } from './fault-names.js';

type Body = Record<string, unknown>;

/** Spoils a token response; one without the member that `needs` names is left alone. */
export interface TokenResponseFault extends FaultDefinition<(body: Body) => Body> {
  readonly needs: string;
}

const SOURCE = 'RFC 6749 section 5.1';

function without(name: string): Pick<TokenResponseFault, 'needs' | 'apply'> {
  return { needs: name, apply: ({ [name]: _, ...rest }) => rest };
}

function wrong(name: string, value: unknown): Pick<TokenResponseFault, 'needs' | 'apply'> {
  return { needs: name, apply: (body) => ({ ...body, [name]: value }) };
}

export const TOKEN_RESPONSE_DEFAULTS: KindDefaults = { endpoint: PATHS.token, endpoints: [PATHS.token] };

/** What is wrong in a token response. */
export const TOKEN_RESPONSE_FAULTS: Readonly<Record<TokenResponseFaultName, TokenResponseFault>> = {
  missingAccessToken: {
    description: 'The token response has no access_token.',
    source: SOURCE,
    ...without('access_token'),
  },
  unsafeAccessToken: {
    description: 'access_token holds a line break: in a header it would begin another one.',
    source: 'RFC 6749 appendix A.12',
    ...wrong('access_token', 'of-somebody-else\r\nX-Injected: yes'),
  },
  missingTokenType: { description: 'The token response has no token_type.', source: SOURCE, ...without('token_type') },
  wrongTokenType: {
    description: 'token_type is one that nobody knows.',
    source: 'RFC 6749 section 7.1',
    ...wrong('token_type', 'mac'),
  },
  missingIDToken: {
    description: 'The token response has no id_token, although openid was granted.',
    source: 'OpenID Connect Core section 3.1.3.3',
    ...without('id_token'),
  },
  missingRefreshToken: {
    description: 'The token response has no refresh_token.',
    source: SOURCE,
    ...without('refresh_token'),
  },
  missingExpiresIn: {
    description: 'The token response does not say when the access token ends.',
    source: SOURCE,
    ...without('expires_in'),
  },
  wrongExpiresIn: { description: 'expires_in is no number.', source: SOURCE, ...wrong('expires_in', 'soon') },
  wrongScope: {
    description: 'The token response says that another scope was granted than was.',
    source: 'RFC 6749 section 3.3',
    needs: 'access_token',
    apply: (body) => ({ ...body, scope: 'search' }),
  },
};
