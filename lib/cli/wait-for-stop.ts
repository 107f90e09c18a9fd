import { isatty } from 'node:tty';

/** How often the process checks whether its parent process is alive. */
const PARENT_CHECK_INTERVAL_MS = 250;
/** The time after which the process exits even if a connection is open. */
const STOP_TIMEOUT_MS = 500;

/** The parent process at startup. */
const parentID = process.ppid;

interface StopConditions {
  /** True stops the process when its standard input ends. */
  readonly stopWithStdin?: boolean;
  /** True lets the process continue when its parent process ends. In a terminal it always does. */
  readonly isDetached?: boolean;
}

/**
 * Resolves when the process is asked to stop, or when its parent process has ended. It then ends by itself, or after a timeout.
 *
 * @returns true if the parent process has ended.
 */
export function waitForStop({ stopWithStdin = false, isDetached = false }: StopConditions = {}): Promise<boolean> {
  return new Promise((resolve) => {
    const parentCheck =
      isDetached || isatty(0)
        ? undefined
        : setInterval(() => process.ppid !== parentID && end(true), PARENT_CHECK_INTERVAL_MS);
    const stop = () => end(false);
    function end(isParentGone: boolean): void {
      clearInterval(parentCheck);
      if (stopWithStdin) process.stdin.destroy();
      setTimeout(() => process.exit(0), STOP_TIMEOUT_MS).unref();
      resolve(isParentGone);
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
    if (!stopWithStdin) return;
    process.stdin.once('end', stop).once('error', stop).resume();
  });
}
