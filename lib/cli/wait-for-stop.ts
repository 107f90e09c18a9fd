/** The time after which the process exits even if a connection is open. */
const STOP_TIMEOUT_MS = 500;

/**
 * Resolves when the process is asked to stop. It then ends by itself, or after a timeout.
 * @param stopWithStdin whether the end of its standard input stops the process
 */
export function waitForStop(stopWithStdin = false): Promise<void> {
  return new Promise((resolve) => {
    function stop(): void {
      if (stopWithStdin) process.stdin.destroy();
      setTimeout(() => process.exit(0), STOP_TIMEOUT_MS).unref();
      resolve();
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
    if (stopWithStdin) process.stdin.once('end', stop).once('error', stop).resume();
  });
}
