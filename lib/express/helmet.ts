/** The part of helmet's options that this sign-in has a say in. */
export interface HelmetOptions {
  contentSecurityPolicy: { useDefaults: true; directives: Record<string, string[] | null> };
}

/**
 * @returns the helmet options that the sign-in needs, to hand to `helmet()` as they are or merged with the site's own.
 * Browsers apply `form-action` to the redirects that follow a form, and signing out goes on to the service.
 */
export function helmetOptions({ issuer, secure }: { issuer: string; secure: boolean }): HelmetOptions {
  const directives: Record<string, string[] | null> = { 'form-action': ["'self'", new URL(issuer).origin] };
  if (!secure) directives['upgrade-insecure-requests'] = null;
  return { contentSecurityPolicy: { useDefaults: true, directives } };
}
