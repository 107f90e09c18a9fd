/** The two forms of the authorization-code flow: `profile` is Form A of the service spec, `openid` is Form B. */
export type FlowName = 'profile' | 'openid';
