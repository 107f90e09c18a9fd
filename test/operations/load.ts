import { until } from './server-process.js';
import type { Exchange, Visitor } from './visitor.js';

/** The time between two requests of one user, in milliseconds. */
const PAUSE_MS = process.env.OPERATIONS === 'full' ? 50 : 150;
const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
const PATHS = ['/profile', '/notes', '/api/me', '/account'] as const;

/** Users who open pages, one after the other, until the load stops. */
export interface Load {
  readonly exchanges: readonly Exchange[];
  /** The users whose last request has no response yet. */
  readonly waiting: ReadonlySet<string>;
  /** Waits for an exchange after this call. */
  hasSeen(what: string, condition: (exchange: Exchange) => boolean): Promise<void>;
  /** Waits until each user has got a page again, after this call. */
  isServed(what: string): Promise<void>;
  stop(): Promise<void>;
}

/** @param exchanges receives the responses to the visitors */
export function startLoad(visitors: readonly Visitor[], exchanges: readonly Exchange[]): Load {
  const waiting = new Set<string>();
  let isStopped = false;

  async function run(visitor: Visitor, first: number): Promise<void> {
    for (let index = first; !isStopped; index += 1) {
      waiting.add(visitor.username);
      await visitor.open(PATHS[index % PATHS.length] as string);
      waiting.delete(visitor.username);
      await pause();
    }
  }

  const running = visitors.map(run);
  return {
    exchanges,
    waiting,
    async hasSeen(what, condition) {
      const start = exchanges.length;
      await until(what, () => exchanges.slice(start).some(condition));
    },
    async isServed(what) {
      const start = exchanges.length;
      const served = () =>
        exchanges.slice(start).filter(({ result, path }) => result !== 'unavailable' && path === '/profile');
      await until(what, () => new Set(served().map(({ username }) => username)).size === visitors.length);
    },
    async stop() {
      isStopped = true;
      await Promise.all(running);
    },
  };
}

/** Signs users in, one after the other, each in a new browser. @returns a function that stops, and reports the failures */
export function startSignIns(newVisitors: readonly (() => Visitor)[]): { stop(): Promise<readonly string[]> } {
  const failed: string[] = [];
  let isStopped = false;

  async function run(): Promise<void> {
    for (let index = 0; !isStopped; index += 1) {
      const visitor = newVisitors[index % newVisitors.length]?.() as Visitor;
      if (!(await visitor.signIn().catch(() => false))) failed.push(visitor.username);
      await pause();
    }
  }

  const running = run();
  return {
    async stop() {
      isStopped = true;
      await running;
      return failed;
    },
  };
}
