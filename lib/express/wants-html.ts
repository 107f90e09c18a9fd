import type { IncomingMessage } from 'node:http';

/** A page a person looks at, told from a call by a script, so that the one is redirected and the other answered. */
export function wantsHTML(req: IncomingMessage): boolean {
  const mode = req.headers['sec-fetch-mode'];
  if (mode !== undefined && mode !== 'navigate') return false;
  if (req.headers['x-requested-with'] === 'XMLHttpRequest') return false;
  return (req.headers.accept ?? '')
    .split(',')
    .some(
      (range) =>
        /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(range) && !/;\s*q=0(\.0*)?\s*(;|$)/i.test(range),
    );
}
