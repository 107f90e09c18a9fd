/** Holds the options of helmet that this sign-in needs. */
export interface HelmetOptions {
  contentSecurityPolicy: { useDefaults: true; directives: Record<string, string[] | null> };
}

/**
 * @returns the helmet options that the sign-in needs, for `helmet()`, unchanged or merged with the site's own.
 * helmet's other defaults remain: popups work under its `Cross-Origin-Opener-Policy`, the session check under its frame rules.
 * Browsers apply `form-action` to the redirects after a form, and signing out redirects to the service.
 */
export function helmetOptions(options: {
  issuer: string;
  shareScriptURL: string | undefined;
  secure: boolean;
  /** The URLs that a logout redirects to, in addition to the issuer: other hosts of the service, and the URL after it. */
  logoutURLs: readonly string[];
}): HelmetOptions {
  const { issuer, shareScriptURL, secure, logoutURLs } = options;
  const origins = new Set([issuer, ...logoutURLs].map((url) => new URL(url).origin));
  const directives: Record<string, string[] | null> = { 'form-action': ["'self'", ...origins] };
  if (shareScriptURL) directives['script-src'] = ["'self'", new URL(shareScriptURL).origin];
  if (!secure) directives['upgrade-insecure-requests'] = null;
  return { contentSecurityPolicy: { useDefaults: true, directives } };
}
