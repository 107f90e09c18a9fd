import vm from 'node:vm';

type Task = (argument: unknown) => Promise<unknown>;
type Block = () => void;

/** What stands in for Cypress: the few commands that the recipe gives, queued one behind the other as Cypress does, without a browser. */
export interface StandIn {
  baseUrl: string;
  tasks: Readonly<Record<string, Task>>;
}

interface Visited {
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

/** Runs the blocks of a spec. @returns the names of the tests that passed; throws what the first one that fails throws. */
export async function runSpec(code: string, { baseUrl, tasks }: StandIn): Promise<string[]> {
  const before: Block[] = [];
  const its = new Map<string, Block>();
  let cookies = new Map<string, string>();
  let page = '';
  let queue: Promise<unknown> = Promise.resolve();

  async function ask(address: string): Promise<Visited> {
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
    let visited = await ask(address);
    for (let count = 0; visited.headers.location && count < 10; count += 1)
      visited = await ask(visited.headers.location);
    if (failOnStatusCode && visited.status >= 400) throw new Error(`cy.visit got ${visited.status}`);
    page = visited.text;
  }

  function chain(run: () => Promise<unknown>): object {
    const made = new Chain(queue.then(run));
    queue = made.result;
    const goOn = (next: (subject: unknown) => unknown): object => chain(async () => settle(next, await made.result));
    return Object.defineProperty(made, 'then', { value: goOn });
  }

  async function settle(next: (subject: unknown) => unknown, subject: unknown): Promise<unknown> {
    const outside = queue;
    queue = Promise.resolve();
    const given = next(subject);
    const result = given instanceof Chain ? given.result : Promise.resolve(given);
    queue = outside;
    return result;
  }

  const cy = {
    request: ({ url }: { url: string }) => chain(() => ask(url)),
    task: (name: string, argument: unknown) => chain(async () => tasks[name]?.(argument)),
    visit: (address: string, options?: object) => chain(() => visit(address, options)),
    contains: (text: string) =>
      chain(async () => {
        if (!page.includes(text)) throw new Error(`the page has no "${text}": ${page.slice(0, 500)}`);
      }),
  };
  const it = (name: string, block: Block): unknown => its.set(name, block);
  vm.runInNewContext(code, { cy, it, beforeEach: (block: Block) => before.push(block) });
  const passed: string[] = [];
  for (const [name, block] of its) {
    cookies = new Map();
    for (const each of [...before, block]) each();
    await queue;
    passed.push(name);
  }
  return passed;
}
