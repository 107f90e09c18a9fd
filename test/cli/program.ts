import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe } from '@jest/globals';

const site = fileURLToPath(new URL('./env-site.mjs', import.meta.url));
const main = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));

/** Skips tests of the built command when it is not built. In CI it must be. */
export const describeBuilt: typeof describe =
  existsSync(main) || process.env.CI === 'true' ? describe : (describe.skip as typeof describe);

/** A running `passport-clinician`. */
export interface Program {
  child: ChildProcess;
  /** The output so far. */
  output: { out: string; err: string };
  /** Resolves to the exit code. */
  ended: Promise<number | null>;
  /** Waits until a stream has a text. Rejects with the output of stderr when the program ends before that. */
  printed(text: string, stream?: 'out' | 'err'): Promise<void>;
  /** Resolves to the first line. */
  line(): Promise<string>;
}

const running: Program[] = [];

/** Starts `passport-clinician` with only PATH and these variables in the environment. */
export function passportClinician(args: readonly string[], env: Record<string, string> = {}, cwd?: string): Program {
  return startProgram([main, ...args], env, cwd);
}

/** Starts a site with the settings of a file. */
export function siteWith(envFile: string): Program {
  return startProgram([`--env-file=${envFile}`, site]);
}

/** Starts Node with only PATH and these variables in the environment. */
export function startProgram(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd?: string): Program {
  const child = spawn(process.execPath, args, { cwd, env: { PATH: process.env.PATH, ...env } });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    output.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.err += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  async function printed(text: string, stream: 'out' | 'err' = 'out'): Promise<void> {
    const source = stream === 'out' ? child.stdout : child.stderr;
    while (!output[stream].includes(text)) {
      const hasEnded = await Promise.race([ended.then(() => true), once(source, 'data')]);
      if (hasEnded === true) throw new Error(`the program ended: ${output.err}`);
    }
  }
  async function line(): Promise<string> {
    await printed('\n');
    return output.out.slice(0, output.out.indexOf('\n'));
  }
  const program = { child, output, ended, printed, line };
  running.push(program);
  return program;
}

/** @returns the exit code and the output. */
export async function runToEnd(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
): Promise<{ code: number | null; out: string; err: string }> {
  const { child, output, ended } = passportClinician(args, env, cwd);
  child.stdin?.end();
  return { code: await ended, ...output };
}

/** Stops the programs of a test, in afterEach. */
export async function endAll(): Promise<void> {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
}
