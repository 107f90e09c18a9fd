// Requests to a site. Its `info` has the URLs of its login, its callback and a page for signed-in users.
import { Client } from './client.mjs';
import { CookieJars, followSignIn } from './forms.mjs';

async function checkSignedIn(client, { guardedURL }, cookies) {
  const { status, text } = await client.send(guardedURL, { cookies });
  if (status !== 200 || text !== 'signed in') throw new Error(`${guardedURL} responds with ${status}: ${text}`);
}

/** Signs in on the pages of the provider. @returns the cookies */
async function signInWithForms(info) {
  const client = new Client();
  const jars = new CookieJars();
  const isEnd = (url) => url.startsWith(info.callbackURL);
  const callback = await followSignIn(client, info.loginURL, { jars, isEnd });
  await client.send(callback, { cookies: jars.of(callback) });
  await checkSignedIn(client, info, jars.of(info.origin));
  client.close();
  return jars;
}

/** Signs in where a session at the provider exists. @returns the cookies of the new session at the site */
async function signInAgain(client, info, jars) {
  const cookies = new Map();
  const login = await client.send(info.loginURL, { cookies });
  const { headers } = await client.send(login.headers.location, { cookies: new Map(jars.of(info.provider.issuer)) });
  if (!headers.location?.startsWith(info.callbackURL))
    throw new Error(`The provider redirects to ${headers.location}.`);
  const { status, text } = await client.send(headers.location, { cookies });
  if (status < 300 || status > 399) throw new Error(`The callback responds with ${status}: ${text}`);
  return cookies;
}

/** A sign-in, with two requests to the site. The first session of each round must be signed in. */
export async function siteSignIn(info) {
  const jars = await signInWithForms(info);
  return async (client, index) => {
    const cookies = await signInAgain(client, info, jars);
    if (index === 0) await checkSignedIn(client, info, cookies);
  };
}

/** A request for a page for signed-in users. */
export async function guardedRequest(info) {
  const jars = await signInWithForms(info);
  const cookies = jars.of(info.origin);
  return (client) => checkSignedIn(client, info, cookies);
}
