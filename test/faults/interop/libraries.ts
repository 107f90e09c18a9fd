import type supertest from 'supertest';

type Agent = ReturnType<typeof supertest.agent>;

/** A library, and how its site is created. */
export interface Library {
  /** The heading of its column. */
  title: string;
  /** The name in `sites.mjs`; undefined for this package, which runs from the sources. */
  site?: string;
  /** The package whose version is shown. */
  package?: string;
  settings?: Record<string, unknown>;
  /** True when it does not support PKCE. */
  lacksPKCE?: boolean;
  loginPath: string;
  /** Starts a sign-in. @default GET loginPath */
  begin?(agent: Agent, origin: string): PromiseLike<supertest.Response>;
  /** Its setup, for the documentation. */
  note: string;
}

/** Fetches the CSRF token and posts the form, as the sign-in page of @auth/express does. */
async function postForm(agent: Agent, origin: string): Promise<supertest.Response> {
  const { body } = await agent.get('/auth/csrf');
  const form = { csrfToken: body.csrfToken, callbackUrl: `${origin}/` };
  return agent.post('/auth/signin/clinician').type('form').send(form).redirects(0);
}

export const LIBRARIES: readonly Library[] = [
  {
    title: 'passport-clinician',
    loginPath: '/auth/login',
    note: '`clinicianLogin()` with `scope: "openid basic"`, which reads the profile and not userinfo, and `timeout: 2500`.',
  },
  {
    title: 'express-openid-connect',
    site: 'express-openid-connect',
    package: 'express-openid-connect',
    loginPath: '/login',
    note: '`response_type: "code"`, because the service does not support its default, the implicit flow; `clientAuthMethod: "client_secret_basic"`, `httpTimeout: 2500`. It cannot verify the signature in this flow.',
  },
  {
    title: 'openid-client/passport',
    site: 'openid-client/passport',
    package: 'openid-client',
    loginPath: '/login',
    note: 'its example: `discovery()` and `new Strategy({ config, scope, callbackURL })`, with `ClientSecretBasic` and `timeout: 2.5`. It sends PKCE, but neither `state` nor `nonce` by default.',
  },
  {
    title: 'openid-client/passport, checks on',
    site: 'openid-client/passport',
    package: 'openid-client',
    settings: { nonRepudiation: true },
    loginPath: '/login',
    note: 'the same with `enableNonRepudiationChecks`, which is documented and off by default.',
  },
  {
    title: '@auth/express',
    site: '@auth/express',
    package: '@auth/express',
    loginPath: '/auth/signin',
    begin: postForm,
    note: '`type: "oidc"` with `checks: ["pkce", "state", "nonce"]`, all that it supports. It has no option to verify the signature and none for a timeout (a `customFetch` of the site could add one).',
  },
  {
    title: 'passport-openidconnect',
    site: 'passport-openidconnect',
    package: 'passport-openidconnect',
    lacksPKCE: true,
    loginPath: '/login',
    note: 'its README, with `nonce: true`, the secret in a header through `customHeaders`, and a client that may omit PKCE, which it does not support. It has no option to verify the signature and none for a timeout.',
  },
];
