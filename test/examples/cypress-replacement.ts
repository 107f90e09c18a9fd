import vm from 'node:vm';

type Task = (argument: unknown) => Promise<unknown>;
type Callback = () => void;

/** The settings of a replacement for Cypress without a browser: it has the commands of the project, in a queue as in Cypress. */
export interface CypressSettings {
  baseUrl: string;
  tasks: Readonly<Record<string, Task>>;
}

interface PageResponse {
  status: number;
  text: string;
  headers: Record<string, string>;
}

class Chain {
  readonly result: Promise<unknown>;
  constructor(result: Promise<unknown>) {
    this.result = result;
  }
}

/** Runs a spec. @returns the names of the tests that passed; throws the error of the first test that fails */
export async function runSpec(code: string, { baseUrl, tasks }: CypressSettings): Promise<string[]> {
  const before: Callback[] = [];
  const its = new Map<string, Callback>();
  let cookies = new Map<string, string>();
  let page = '';
  let queue: Promise<unknown> = Promise.resolve();

  async function get(address: string): Promise<PageResponse> {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const url = new URL(address, baseUrl);
    const response = await fetch(url, { redirect: 'manual', headers: { cookie, accept: 'text/html' } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, headers, text: await response.text() };
  }

  async function visit(address: string, { failOnStatusCode = true } = {}): Promise<void> {
    let response = await get(address);
    for (let count = 0; response.headers.location && count < 10; count += 1)
      response = await get(response.headers.location);
    if (failOnStatusCode && response.status >= 400) throw new Error(`cy.visit received ${response.status}`);
    page = response.text;
  }

  function chain(run: () => Promise<unknown>): object {
    const link = new Chain(queue.then(run));
    queue = link.result;
    const then = (next: (subject: unknown) => unknown): object => chain(async () => settle(next, await link.result));
    return Object.defineProperty(link, 'then', { value: then });
  }

  async function settle(next: (subject: unknown) => unknown, subject: unknown): Promise<unknown> {
    const outer = queue;
    queue = Promise.resolve();
    const returned = next(subject);
    const result = returned instanceof Chain ? returned.result : Promise.resolve(returned);
    queue = outer;
    return result;
  }

  const cy = {
    request: ({ url }: { url: string }) => chain(() => get(url)),
    task: (name: string, argument: unknown) => chain(async () => tasks[name]?.(argument)),
    visit: (address: string, options?: object) => chain(() => visit(address, options)),
    contains: (text: string) =>
      chain(async () => {
        if (!page.includes(text)) throw new Error(`the page has no "${text}": ${page.slice(0, 500)}`);
      }),
  };
  const it = (name: string, block: Callback): unknown => its.set(name, block);
  vm.runInNewContext(code, { cy, it, beforeEach: (block: Callback) => before.push(block) });
  const passed: string[] = [];
  for (const [name, block] of its) {
    cookies = new Map();
    for (const callback of [...before, block]) callback();
    await queue;
    passed.push(name);
  }
  return passed;
}
