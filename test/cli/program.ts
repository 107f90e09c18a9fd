import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe } from '@jest/globals';

const main = fileURLToPath(new URL('../../dist/esm/cli/main.js', import.meta.url));

/** The command line is tested as it is built. In CI it has to be. */
export const describeBuilt: typeof describe =
  existsSync(main) || process.env.CI === 'true' ? describe : (describe.skip as typeof describe);

/** A running `passport-clinician`. */
export interface Program {
  child: ChildProcess;
  /** All that it has printed so far. */
  said: { out: string; err: string };
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>;
  /** Its first line. Throws what it said when it ends before that. */
  line(): Promise<string>;
}

const running: Program[] = [];

/** Starts `passport-clinician` with an environment that is empty but for what is given. */
export function passportClinician(args: readonly string[], env: Record<string, string> = {}, cwd?: string): Program {
  const child = spawn(process.execPath, [main, ...args], { cwd, env: { PATH: process.env.PATH ?? '', ...env } });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    said.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said.err += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  async function line(): Promise<string> {
    while (!said.out.includes('\n')) {
      const over = await Promise.race([ended.then(() => true), once(child.stdout, 'data')]);
      if (over === true) throw new Error(`it ended: ${said.err}`);
    }
    return said.out.slice(0, said.out.indexOf('\n'));
  }
  const program = { child, said, ended, line };
  running.push(program);
  return program;
}

/** @returns the exit code, and all that was printed. */
export async function runToEnd(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
): Promise<{ code: number | null; out: string; err: string }> {
  const { child, said, ended } = passportClinician(args, env, cwd);
  child.stdin?.end();
  return { code: await ended, ...said };
}

/** For afterEach: nothing that a test started outlives it. */
export async function endAll(): Promise<void> {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
}
