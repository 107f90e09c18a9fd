/** A connection that a fault keeps waiting, say, is no reason to stay. */
const PATIENCE_MS = 500;

/** Resolves when somebody asks this process to stop; from then on it ends by itself, or soon by force. */
export function waitForStop({ stopWithStdin }: { stopWithStdin: boolean }): Promise<void> {
  return new Promise((resolve) => {
    function stop(): void {
      if (stopWithStdin) process.stdin.destroy();
      setTimeout(() => process.exit(0), PATIENCE_MS).unref();
      resolve();
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
    if (!stopWithStdin) return;
    process.stdin.once('end', stop).once('error', stop).resume();
  });
}
