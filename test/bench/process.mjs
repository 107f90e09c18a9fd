import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const HOST = fileURLToPath(new URL('process-host.mjs', import.meta.url));
const STOP_TIMEOUT_MS = 5_000;

/** Runs a module of targets/ or load/ in its own process, and calls its operations. */
export class BenchProcess {
  /** What the module has returned as `info`. */
  info;
  /** When the process was created, as `performance.now()`. */
  startedAt = performance.now();
  #child;
  #calls = new Map();
  #lastCall = 0;
  #output = '';

  /** @param file relative to this folder */
  static async start(file, options = {}) {
    const started = new BenchProcess(file, options);
    started.info = await started.#send(0);
    return started;
  }

  constructor(file, options) {
    const module = new URL(file, import.meta.url).href;
    this.#child = fork(HOST, [module, JSON.stringify(options)], { execArgv: ['--expose-gc'], silent: true });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.#output = (this.#output + text).slice(-4000);
      });
    }
    this.#child.on('message', ({ id, result, error }) => {
      const { resolve, reject } = this.#calls.get(id);
      this.#calls.delete(id);
      if (error === undefined) resolve(result);
      else reject(new Error(`${file}: ${error}`));
    });
    this.#child.on('exit', (code, signal) => {
      const error = new Error(`${file} has ended with ${code ?? signal}.\n${this.#output}`);
      for (const { reject } of this.#calls.values()) reject(error);
      this.#calls.clear();
    });
  }

  /** Calls an operation of the module, or of the process: `cpu` returns microseconds, `memory` bytes after a garbage collection. */
  call(operation, argument) {
    this.#lastCall += 1;
    const id = this.#lastCall;
    const result = this.#send(id);
    this.#child.send({ id, operation, argument });
    return result;
  }

  #send(id) {
    return new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
  }

  /** The process ends itself, and so can end the processes that it has started. */
  async stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    const ended = once(this.#child, 'exit');
    if (this.#child.connected) this.#child.disconnect();
    await ended;
    clearTimeout(timer);
  }
}
