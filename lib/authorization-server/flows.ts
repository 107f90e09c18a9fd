import { type ClientAuth, ClientSecretBasic, ClientSecretPost } from 'openid-client';

/** The service spec's two forms of the authorization code flow: `profile` is its Form A, `openid` its Form B. */
export type FlowName = 'profile' | 'openid';

/** One form of the flow as data. Nothing outside this file asks which flow it is in. */
export interface Flow {
  readonly name: FlowName;
  readonly defaultScope: readonly string[];
  /** Every scope that the service spec names for this form. */
  readonly knownScopes: readonly string[];
  /** Without these the flow cannot do its work. */
  readonly requiredScope: readonly string[];
  /** How the client proves itself at the token endpoint. At the revocation endpoint it is always Basic. */
  readonly clientAuthentication: (clientSecret: string) => ClientAuth;
  readonly pkce: boolean;
  readonly nonce: boolean;
  readonly expectsIDToken: boolean;
  readonly identityFrom: 'profile' | 'id_token';
  /** Whether endpoints come from the metadata document unless the site says otherwise, or from the spec's own paths. */
  readonly discovery: boolean;
  /** Seconds that an access token lives when the token response does not say (the spec's samples). */
  readonly accessTokenLifetime: number;
}

/** The two forms, from the service spec's table "What the service does". */
export const flows: Readonly<Record<FlowName, Flow>> = {
  profile: {
    name: 'profile',
    defaultScope: ['basic'],
    knownScopes: ['basic', 'colleagues', 'email'],
    requiredScope: ['basic'],
    clientAuthentication: ClientSecretPost,
    pkce: false,
    nonce: false,
    expectsIDToken: false,
    identityFrom: 'profile',
    discovery: false,
    accessTokenLifetime: 3600,
  },
  openid: {
    name: 'openid',
    defaultScope: ['openid'],
    knownScopes: ['openid', 'basic', 'colleagues', 'email'],
    requiredScope: ['openid'],
    clientAuthentication: ClientSecretBasic,
    pkce: true,
    nonce: true,
    expectsIDToken: true,
    identityFrom: 'id_token',
    discovery: true,
    accessTokenLifetime: 1800,
  },
};
