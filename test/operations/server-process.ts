import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';

interface ServerProcessOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The file that receives the output, after that of earlier processes. */
  output: string;
  /** The signal that ends the process after the test: SIGKILL leaves the workers of nginx running. */
  endSignal?: 'SIGTERM' | 'SIGKILL' | undefined;
}

/** A server as its own process. Its output is in a file, because nginx opens its standard output by name. */
export class ServerProcess {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #file: string;
  readonly #endSignal: 'SIGTERM' | 'SIGKILL';
  readonly #ended: Promise<number | string>;
  readonly #kill = () => void this.#child.kill(this.#endSignal);

  constructor(name: string, [program = '', ...args]: readonly string[], options: ServerProcessOptions) {
    const { cwd, env, output, endSignal = 'SIGKILL' } = options;
    this.name = name;
    this.#file = output;
    this.#endSignal = endSignal;
    const file = openSync(output, 'a');
    this.#child = spawn(program, args, { cwd, env, stdio: ['ignore', file, file] });
    closeSync(file);
    this.#ended = once(this.#child, 'exit').then(([code, signal]) => code ?? signal);
    this.#ended.catch(() => undefined);
    process.once('exit', this.#kill);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** @returns the output since the given size of the file */
  output(start = 0): string {
    return readFileSync(this.#file).subarray(start).toString();
  }

  get outputSize(): number {
    return statSync(this.#file).size;
  }

  /** @returns the exit code, or the signal that ended the process */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string> {
    process.off('exit', this.#kill);
    this.#child.kill(signal);
    return await this.#ended;
  }

  /** Ends the process after a test. */
  async stop(): Promise<void> {
    if (this.isRunning) await this.end(this.#endSignal);
  }
}
