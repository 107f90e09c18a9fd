import type supertest from 'supertest';

type Agent = ReturnType<typeof supertest.agent>;

/** A package to compare with, and how its site is made. */
export interface Peer {
  /** Of the column. */
  title: string;
  /** The site in `sites.mjs`; none for our own, which runs from the sources. */
  site?: string;
  /** The package whose version counts. */
  package?: string;
  settings?: Record<string, unknown>;
  /** It knows no PKCE. */
  lacksPKCE?: boolean;
  loginPath: string;
  /** Starts a sign-in. @default GET loginPath */
  begin?(agent: Agent, origin: string): PromiseLike<supertest.Response>;
  /** How it was set up, for a reader who wants to judge whether that is fair. */
  note: string;
}

/** What @auth/express's own sign-in page does: fetches the token against forgery, and posts the form. */
async function postTheForm(agent: Agent, origin: string): Promise<supertest.Response> {
  const { body } = await agent.get('/auth/csrf');
  const form = { csrfToken: body.csrfToken, callbackUrl: `${origin}/` };
  return agent.post('/auth/signin/clinician').type('form').send(form).redirects(0);
}

export const PEERS: readonly Peer[] = [
  {
    title: 'passport-clinician',
    loginPath: '/auth/login',
    note: '`clinicianLogin()` with `scope: "openid basic"`, which reads the profile and never userinfo, and `timeout: 2500`.',
  },
  {
    title: 'express-openid-connect',
    site: 'express-openid-connect',
    package: 'express-openid-connect',
    loginPath: '/login',
    note: '`response_type: "code"` in place of its default, the implicit flow, which the service does not have, `clientAuthMethod: "client_secret_basic"`, `httpTimeout: 2500`. It offers no check of the signature in this flow.',
  },
  {
    title: 'openid-client/passport',
    site: 'openid-client/passport',
    package: 'openid-client',
    loginPath: '/login',
    note: 'as its example: `discovery()` and `new Strategy({ config, scope, callbackURL })`, with `ClientSecretBasic` and `timeout: 2.5`. It sends PKCE, and by default neither `state` nor `nonce`.',
  },
  {
    title: 'openid-client/passport, checks on',
    site: 'openid-client/passport',
    package: 'openid-client',
    settings: { nonRepudiation: true },
    loginPath: '/login',
    note: 'the same with `enableNonRepudiationChecks`, which its documentation offers and which is off by default.',
  },
  {
    title: '@auth/express',
    site: '@auth/express',
    package: '@auth/express',
    loginPath: '/auth/signin',
    begin: postTheForm,
    note: '`type: "oidc"` with `checks: ["pkce", "state", "nonce"]`, all there are. It has neither a check of the signature nor a time limit to switch on (a `customFetch` of the site could bring one).',
  },
  {
    title: 'passport-openidconnect',
    site: 'passport-openidconnect',
    package: 'passport-openidconnect',
    lacksPKCE: true,
    loginPath: '/login',
    note: 'as its README, with `nonce: true`, the secret in a header by `customHeaders`, and a client that need not send PKCE, which it does not know. It has neither a check of the signature nor a time limit to switch on.',
  },
];
