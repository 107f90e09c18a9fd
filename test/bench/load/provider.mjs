// Requests to a provider. Each provider's `info` has the URLs of its endpoints, a client and the scope to request.
import { createHash } from 'node:crypto';
import { Client } from './client.mjs';
import { CookieJars, followSignIn } from './forms.mjs';

const REDIRECT_URI = 'http://127.0.0.1:5001/auth/callback';
const VERIFIER = 'a-code-verifier-of-forty-three-characters-or-more';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** Throws unless the condition is true: a wrong response must not count as a fast one. */
function check(condition, response) {
  if (!condition)
    throw new Error(`unexpected response: ${response.status} ${JSON.stringify(response.headers)} ${response.text}`);
}

function authorizationURL({ authorizeURL, clientID, scope }, parameters) {
  const { state } = parameters;
  const query = new URLSearchParams({
    ...{ client_id: clientID, redirect_uri: REDIRECT_URI, response_type: 'code', scope, ...parameters },
    ...(scope.includes('openid') && { nonce: `nonce-of-${state}` }),
    ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256' },
  });
  return `${authorizeURL}?${query}`;
}

/** Sends a form as the client, with HTTP Basic or with the secret in the form. */
function sendAsClient(client, url, form, { clientID, clientSecret, isSecretInForm }) {
  if (isSecretInForm) return client.send(url, { form: { ...form, client_id: clientID, client_secret: clientSecret } });
  return client.send(url, { form, headers: { authorization: `Basic ${btoa(`${clientID}:${clientSecret}`)}` } });
}

/** Signs a user in on the pages. @returns the cookies of the session, with which further sign-ins show no page */
async function createSession(info) {
  const client = new Client();
  const jars = new CookieJars();
  const isEnd = (url) => url.startsWith(REDIRECT_URI);
  await followSignIn(client, authorizationURL(info, { state: 'first' }), { jars, isEnd });
  client.close();
  return jars.of(info.authorizeURL);
}

async function requestCode(client, info, cookies, index) {
  const state = `state-${index}`;
  const url = authorizationURL(info, { state, prompt: 'none' });
  const response = await client.send(url, { cookies });
  const { searchParams } = new URL(response.headers.location ?? 'missing:');
  check(searchParams.get('state') === state && searchParams.has('code'), response);
  return searchParams.get('code');
}

async function requestTokens(client, info, parameters) {
  const response = await sendAsClient(client, info.tokenURL, parameters, info);
  check(response.status === 200, response);
  const tokens = JSON.parse(response.text);
  check(tokens.access_token?.length > 0, response);
  return tokens;
}

async function requestSignIn(client, info, cookies, index) {
  const code = await requestCode(client, info, cookies, index);
  const parameters = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER };
  const tokens = await requestTokens(client, info, parameters);
  if (info.scope.includes('openid') && tokens.id_token?.split('.').length !== 3) throw new Error('no ID Token');
  return tokens;
}

/** Signs in several times. @returns the token responses */
async function collectTokens(info, count) {
  const cookies = await createSession(info);
  const client = new Client();
  const tokens = [];
  for (let index = 0; index < count; index += 1) tokens.push(await requestSignIn(client, info, cookies, index));
  client.close();
  return tokens;
}

/** An authorization request in an existing session, and a token request. @param everySecond replaces members of `info` */
export async function signIn(info, { everySecond }) {
  const cookies = await createSession(info);
  const other = { ...info, ...everySecond };
  return (client, index) => requestSignIn(client, index % 2 === 0 ? info : other, new Map(cookies), index);
}

/** Refreshes the tokens of one sign-in for each connection, one refresh after another. */
export async function refresh(info, { connections }) {
  const tokens = await collectTokens(info, connections);
  const current = new Map();
  return async (client) => {
    const { refresh_token } = current.get(client) ?? tokens.pop();
    const next = await requestTokens(client, info, { grant_type: 'refresh_token', refresh_token });
    if (next.refresh_token === undefined || next.refresh_token === refresh_token) throw new Error('no rotation');
    current.set(client, next);
  };
}

/** Reads the profile with an access token. */
export async function profile(info) {
  const [{ access_token }] = await collectTokens(info, 1);
  const headers = { authorization: `Bearer ${access_token}` };
  return async (client) => {
    const response = await client.send(info.profileURL, { headers });
    check(response.status === 200 && response.text.includes(info.profileMember), response);
  };
}
