// Requests to a site. Its `info` has the URLs of its login, its callback and a page for signed-in users.
import { Client } from './client.mjs';
import { CookieJars, followSignIn } from './forms.mjs';

async function checkPage(client, url, text, cookies) {
  const response = await client.send(url, { cookies });
  if (response.status === 200 && response.text.includes(text)) return;
  throw new Error(`${url} responds with ${response.status}: ${response.text.slice(0, 1000)}`);
}

const checkSignedIn = (client, { guardedURL, guardedText }, cookies) =>
  checkPage(client, guardedURL, guardedText, cookies);

/** Signs in on the pages of the provider. @returns the cookies */
async function signInWithForms(info, username) {
  const client = new Client();
  const jars = new CookieJars();
  const isEnd = (url) => url.startsWith(info.callbackURL);
  const callback = await followSignIn(client, info.loginURL, { jars, isEnd, username });
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

/** Requests for a page that needs an access token, in turn to each process, after the access token of the sign-in must be refreshed. */
export async function expiredToken(info, { expiresAfterMs }) {
  const cookies = (await signInWithForms(info)).of(info.origin);
  await new Promise((resolve) => setTimeout(resolve, expiresAfterMs));
  return (client, index) => checkPage(client, `${info.origins[index % info.origins.length]}/profile`, 'npi', cookies);
}

/** Each connection is another user, who requests the pages in turn, of each process in turn. Every hundredth request is a sign-in. */
export async function visitPages(info, { pages, usernames }) {
  const remaining = [...usernames];
  const jars = new Map();
  const sessions = new Map();
  return async (client, index) => {
    if (!jars.has(client)) jars.set(client, await signInWithForms(info, remaining.pop()));
    if (!sessions.has(client) || index % 100 === 0) {
      sessions.set(client, await signInAgain(client, info, jars.get(client)));
    }
    const { path, text } = pages[index % pages.length];
    const origin = info.origins[Math.floor(index / pages.length) % info.origins.length];
    await checkPage(client, `${origin}${path}`, text, sessions.get(client));
  };
}
