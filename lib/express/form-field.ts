import type { SiteRequest } from '../session/types.js';

const LONGEST = 16_384;

/**
 * @returns what was posted, as far as that is not too long. All of it goes back into the request, for whatever parser of the site
 * stands behind: a stream may be filled again from the front as long as its end has not been told.
 */
function peek(req: SiteRequest): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (text: string | undefined) => {
      for (const [event, listener] of listeners) req.off(event, listener);
      if (length > 0 && !req.destroyed) req.unshift(Buffer.concat(chunks));
      // Until then the stream still behaves as if somebody were reading it.
      setImmediate(resolve, text);
    };
    const read = () => {
      for (let chunk = req.read() as Buffer | null; chunk !== null; chunk = req.read() as Buffer | null) {
        chunks.push(chunk);
        length += chunk.length;
        if (length > LONGEST) return finish(undefined);
      }
      if (req.complete) finish(Buffer.concat(chunks).toString());
    };
    // Half a body is no form, and no fault of the site's.
    const broken = () => finish(undefined);
    const listeners = [
      ['readable', read],
      ['end', broken],
      ['error', broken],
      ['close', broken],
    ] as const;
    for (const [event, listener] of listeners) req.on(event, listener);
  });
}

async function formOf(req: SiteRequest): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')) return new URLSearchParams();
  return new URLSearchParams(await peek(req));
}

/** @returns a field of the form that was posted, whether the site has parsed the body already or nobody has. */
export async function formField(req: SiteRequest, name: string): Promise<string | undefined> {
  const parsed = (req as SiteRequest & { body?: unknown }).body;
  if (typeof parsed === 'object' && parsed !== null) {
    const value = Object.hasOwn(parsed, name) ? (parsed as Record<string, unknown>)[name] : undefined;
    return typeof value === 'string' ? value : undefined;
  }
  if (req.readableEnded || req.destroyed) return undefined;
  const [value, another] = (await formOf(req)).getAll(name);
  return another === undefined ? value : undefined;
}
