/** The part of helmet's options that this sign-in has a say in. */
export interface HelmetOptions {
  contentSecurityPolicy: { useDefaults: true; directives: Record<string, string[] | null> };
}

/**
 * @returns the helmet options that the sign-in needs, to hand to `helmet()` as they are or merged with the site's own.
 * The rest of helmet's defaults stays: the sign-in in a window of its own works under its `Cross-Origin-Opener-Policy`, the session
 * check under its frame rules. Browsers apply `form-action` to the redirects that follow a form, and signing out goes on to the service.
 */
export function helmetOptions(options: {
  issuer: string;
  shareScriptURL: string | undefined;
  secure: boolean;
  /** Where a logout leads, besides the issuer: other hosts of the service, and the address after it. */
  logoutURLs: readonly string[];
}): HelmetOptions {
  const { issuer, shareScriptURL, secure, logoutURLs } = options;
  const origins = new Set([issuer, ...logoutURLs].map((url) => new URL(url).origin));
  const directives: Record<string, string[] | null> = { 'form-action': ["'self'", ...origins] };
  if (shareScriptURL) directives['script-src'] = ["'self'", new URL(shareScriptURL).origin];
  if (!secure) directives['upgrade-insecure-requests'] = null;
  return { contentSecurityPolicy: { useDefaults: true, directives } };
}
