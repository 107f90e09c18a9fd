import type { SiteRequest } from './types.js';

const LONGEST = 16_384;

async function formOf(req: SiteRequest): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')) return new URLSearchParams();
  let body = '';
  try {
    for await (const chunk of req) {
      body += String(chunk);
      if (body.length > LONGEST) return new URLSearchParams();
    }
  } catch {
    // Half a body is no form, and no fault of the site's.
    return new URLSearchParams();
  }
  return new URLSearchParams(body);
}

/** @returns a field of the form that was posted, whether the site has parsed the body already or nobody has. */
export async function formField(req: SiteRequest, name: string): Promise<string | undefined> {
  const parsed = (req as SiteRequest & { body?: unknown }).body;
  if (typeof parsed === 'object' && parsed !== null) {
    const value = Object.hasOwn(parsed, name) ? (parsed as Record<string, unknown>)[name] : undefined;
    return typeof value === 'string' ? value : undefined;
  }
  if (req.readableEnded) return undefined;
  const [value, another] = (await formOf(req)).getAll(name);
  return another === undefined ? value : undefined;
}
