import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** PostgreSQL refuses to run as root: then it runs as the user `nobody`. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

export function postgresProcess(program, port, settings) {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  if (NOBODY) chownSync(folder, NOBODY.uid, NOBODY.gid);
  const data = join(folder, 'data');
  const initialize = ['-D', data, '-U', 'site', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(dirname(program), 'initdb'), initialize, { ...NOBODY, cwd: folder, stdio: 'pipe' });
  const all = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings];
  const args = ['-D', data, '-p', String(port), ...all.flatMap((setting) => ['-c', setting])];
  let running;
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  const onExit = () => {
    running?.kill('SIGQUIT');
    remove();
  };
  process.once('exit', onExit);

  /** https://www.postgresql.org/docs/current/server-shutdown.html */
  async function end(signal) {
    const ending = running;
    running = undefined;
    if (ending?.kill(signal)) await once(ending, 'exit');
  }

  return {
    url: `postgres://site@127.0.0.1:${port}/postgres`,
    async start() {
      const child = spawn(program, args, { ...NOBODY, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
      running = child;
      for await (const line of createInterface({ input: child.stderr })) {
        if (!line.includes('ready to accept connections')) continue;
        child.stderr.resume();
        return;
      }
      throw new Error('PostgreSQL did not start.');
    },
    stop: () => end('SIGINT'),
    kill: () => end('SIGQUIT'),
    freeze: () => signalAll(running?.pid, 'SIGSTOP'),
    thaw: () => signalAll(running?.pid, 'SIGCONT'),
    async dispose() {
      process.off('exit', onExit);
      await end('SIGINT');
      remove();
    },
  };
}

/** Sends a signal to the server, and to its processes for connections, which have their own process groups. */
function signalAll(pid, signal) {
  if (pid === undefined) return;
  const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const children = [...list.matchAll(/^ *(\d+) +(\d+)$/gm)].filter(([, , parent]) => Number(parent) === pid);
  for (const id of [pid, ...children.map(([, child]) => Number(child))]) {
    try {
      process.kill(id, signal);
    } catch {
      // It has ended.
    }
  }
}
