import type { SessionRequest } from '../session/site-session.js';

const MAX_LENGTH = 16_384;

/**
 * @returns the body of a request that is not too long. It is pushed back into the stream, for a body parser of the site after this
 * middleware: Node allows that until the stream has emitted 'end'.
 */
function peekBody(req: SessionRequest): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (text: string | undefined) => {
      for (const [event, listener] of listeners) req.off(event, listener);
      if (length > 0 && !req.destroyed) req.unshift(Buffer.concat(chunks));
      // Node removes the effects of the 'readable' listener in the next tick only.
      setImmediate(resolve, text);
    };
    const read = () => {
      for (let chunk = req.read() as Buffer | null; chunk !== null; chunk = req.read() as Buffer | null) {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MAX_LENGTH) return finish(undefined);
      }
      if (req.complete) finish(Buffer.concat(chunks).toString());
    };
    // An incomplete body is not a form, and not an error of the site.
    const finishIncomplete = () => finish(undefined);
    const listeners = [
      ['readable', read],
      ['end', finishIncomplete],
      ['error', finishIncomplete],
      ['close', finishIncomplete],
    ] as const;
    for (const [event, listener] of listeners) req.on(event, listener);
  });
}

/** @returns the fields that a body parser of the site has read. A repeated field is repeated; objects and numbers are left out. */
function parsedForm(parsed: object): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, values] of Object.entries(parsed)) {
    for (const value of [values].flat()) if (typeof value === 'string') form.append(name, value);
  }
  return form;
}

/**
 * @returns the posted form, whether or not a body parser of the site has read it. The parsers of Express 4 set an empty object for a
 * body that they do not read.
 */
export async function postedForm(req: SessionRequest): Promise<URLSearchParams> {
  const parsed = (req as SessionRequest & { body?: unknown }).body;
  if (typeof parsed === 'object' && parsed !== null && Object.keys(parsed).length > 0) return parsedForm(parsed);
  return req.readableEnded || req.destroyed ? new URLSearchParams() : await readForm(req);
}

async function readForm(req: SessionRequest): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')) return new URLSearchParams();
  return new URLSearchParams(await peekBody(req));
}

/** @returns a field of the posted form that occurs once. */
export async function formField(req: SessionRequest, name: string): Promise<string | undefined> {
  const [value, another] = (await postedForm(req)).getAll(name);
  return another === undefined ? value : undefined;
}
