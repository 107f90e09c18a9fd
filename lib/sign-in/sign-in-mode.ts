/**
 * How a login comes and goes:
 * - `page`: the person's window goes to the service and back;
 * - `popup`: a window of its own does, and closes;
 * - `silent`: the window goes there and back without a question, signed in or not (`prompt=none`);
 * - `check`: a hidden frame of the session check does.
 */
export type SignInMode = 'page' | 'popup' | 'silent' | 'check';

/** @returns the way that a link to the login route asks for. */
export function requestedMode({
  prompt,
  display,
  frame,
}: Record<'prompt' | 'display' | 'frame', string | undefined>): SignInMode {
  if (prompt === 'none') return frame === 'check' ? 'check' : 'silent';
  return display === 'popup' ? 'popup' : 'page';
}

/** @returns the way that a transaction remembers. */
export function modeOf(appState: unknown): SignInMode {
  const { way } = (appState ?? {}) as { way?: unknown };
  return way === 'popup' || way === 'silent' || way === 'check' ? way : 'page';
}
