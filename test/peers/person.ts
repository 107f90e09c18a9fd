/** A person with a browser: keeps the provider's cookies, follows its redirects, and fills in the forms it shows. */
export class Person {
  readonly #cookies = new Map<string, string>();

  /** Goes from the authorization request to the address that the provider sends them back to. */
  async answer(authorizationRequest: string, fields: Readonly<Record<string, string>>): Promise<URL> {
    const provider = new URL(authorizationRequest).origin;
    let next = new Request(authorizationRequest);
    for (let steps = 0; steps < 20; steps += 1) {
      const response = await this.#send(next);
      const location = response.headers.get('location');
      if (location) {
        const target = new URL(location, next.url);
        if (target.origin !== provider) return target;
        next = new Request(target);
      } else {
        next = this.#filledIn(await response.text(), next.url, fields);
      }
    }
    throw new Error('the provider never sent the person back');
  }

  async #send(request: Request): Promise<Response> {
    const cookies = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    request.headers.set('cookie', cookies);
    const response = await fetch(request, { redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      this.#cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return response;
  }

  #filledIn(html: string, url: string, fields: Readonly<Record<string, string>>): Request {
    const form = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(html);
    if (!form) throw new Error(`no form to fill in at ${new URL(url).pathname}`);
    const inputs = [...(form[2] ?? '').matchAll(/<input[^>]*>/g)].map(([input]) => input);
    const body = new URLSearchParams();
    for (const input of inputs) {
      const name = /\bname="([^"]+)"/.exec(input)?.[1] ?? '';
      body.set(name, fields[name] ?? /\bvalue="([^"]*)"/.exec(input)?.[1] ?? '');
    }
    return new Request(new URL(form[1] ?? '', url), { method: 'POST', body });
  }
}
