/** Names a form of the authorization code flow: `openid` is OpenID Connect with PKCE, `profile` is OAuth 2.0 with profile scopes. */
export type FlowName = 'profile' | 'openid';

/** Maps the scopes of the service spec to the texts of the consent page. */
export const SCOPES: ReadonlyMap<string, string> = new Map([
  ['openid', 'Identify you when you sign in'],
  ['basic', 'Read your profile: your name, practice, specialty and training'],
  ['colleagues', 'Read the list of your colleagues'],
  ['email', 'Read your email address'],
  ['search', 'Look up colleagues on your behalf'],
]);

/** The scope of a request without one. */
export const DEFAULT_SCOPE: Readonly<Record<FlowName, readonly string[]>> = {
  profile: ['basic'],
  openid: ['openid'],
};

/** The scope that a client may request unless its registration allows more (service spec: what the service does). */
export const DEFAULT_ALLOWED_SCOPE: Readonly<Record<FlowName, readonly string[]>> = {
  profile: ['basic', 'colleagues', 'email'],
  openid: ['openid'],
};

/** Every scope of a flow. */
export const EVERY_SCOPE: Readonly<Record<FlowName, readonly string[]>> = {
  profile: ['basic', 'colleagues', 'email', 'search'],
  openid: ['openid', 'basic', 'colleagues', 'email', 'search'],
};

const SCOPE_TEXT = /^[\x21\x23-\x5B\x5D-\x7E]+( +[\x21\x23-\x5B\x5D-\x7E]+)*$/;

/** @returns true for scope tokens separated by spaces (RFC 6749 section 3.3). */
export function isScopeText(text: string): boolean {
  return SCOPE_TEXT.test(text);
}

/** @returns the tokens of a scope, each once. */
export function scopeTokens(text: string): string[] {
  return [...new Set(text.split(' ').filter((token) => token !== ''))];
}
