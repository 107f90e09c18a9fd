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

/** @returns true for an object of JSON or of a form: not a Buffer, an array or an object of a class. */
function isPlainObject(body: unknown): body is Record<string, unknown> {
  if (typeof body !== 'object' || body === null) return false;
  const prototype = Object.getPrototypeOf(body);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * @returns the fields of these names in a body that a parser of the site has read. The body is never enumerated: it may be larger
 * than this package accepts. A repeated field occurs twice; objects, numbers and long texts are left out.
 */
function parsedForm(body: unknown, names: readonly string[]): URLSearchParams {
  const form = new URLSearchParams();
  if (!isPlainObject(body)) return form;
  for (const name of names) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    for (const text of Array.isArray(value) ? value.slice(0, 2) : [value]) {
      if (typeof text === 'string' && text.length <= MAX_LENGTH) form.append(name, text);
    }
  }
  return form;
}

/**
 * @returns the fields of these names in the posted form, whether or not a body parser of the site has read it. The parsers of
 * Express 4 set an empty object for a body that they do not read.
 */
export async function postedForm(req: SessionRequest, names: readonly string[]): Promise<URLSearchParams> {
  const form = parsedForm((req as SessionRequest & { body?: unknown }).body, names);
  if (form.size > 0 || req.readableEnded || req.destroyed) return form;
  return new URLSearchParams([...(await readForm(req))].filter(([name]) => names.includes(name)));
}

async function readForm(req: SessionRequest): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')) return new URLSearchParams();
  return new URLSearchParams(await peekBody(req));
}

/** @returns a field of the posted form that occurs once. */
export async function formField(req: SessionRequest, name: string): Promise<string | undefined> {
  const [value, another] = (await postedForm(req, [name])).getAll(name);
  return another === undefined ? value : undefined;
}
