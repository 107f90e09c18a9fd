const MAX_REQUESTS = 15;
/** What a user enters in the forms of each provider. */
const INPUT = { username: 'verified', login: 'verified', password: 'clinician', decision: 'approve' };

/** Holds cookies for each origin, as a browser does. */
export class CookieJars {
  #jars = new Map();

  of(url) {
    const { origin } = new URL(url);
    if (!this.#jars.has(origin)) this.#jars.set(origin, new Map());
    return this.#jars.get(origin);
  }
}

/**
 * Follows the redirects from a URL, and fills in the forms on the pages, as a user who signs in and approves.
 * @param options.isEnd tells by its URL which redirect is not followed
 * @returns the URL of that redirect
 */
export async function followSignIn(client, url, { jars, isEnd }) {
  let target = url;
  let form;
  for (let request = 0; request < MAX_REQUESTS; request += 1) {
    const { status, headers, text } = await client.send(target, {
      cookies: jars.of(target),
      form,
      headers: { accept: 'text/html' },
    });
    form = undefined;
    if (headers.location !== undefined) {
      target = new URL(headers.location, target).href;
      if (isEnd(target)) return target;
    } else {
      const [, action] = /<form[^>]* action="([^"]*)"/.exec(text) ?? [];
      if (action === undefined)
        throw new Error(`${target} responds with ${status} and no form:\n${text.slice(0, 1000)}`);
      const hidden = [...text.matchAll(/<input[^>]*type="hidden"[^>]*name="([^"]*)"[^>]*value="([^"]*)"/g)];
      form = { ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])), ...INPUT };
      target = new URL(action, target).href;
    }
  }
  throw new Error(`The sign-in did not end after ${MAX_REQUESTS} requests, at ${target}.`);
}
