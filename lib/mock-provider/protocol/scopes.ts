import type { FlowName } from '../options/flow.js';

/** What each scope lets an application do, in the words of the consent page. The service spec names these five. */
export const SCOPES: ReadonlyMap<string, string> = new Map([
  ['openid', 'Know that it is you who signs in'],
  ['basic', 'Read your profile: your name, practice, specialty and training'],
  ['colleagues', 'Read the list of your colleagues'],
  ['email', 'Read your email address'],
  ['search', 'Look up colleagues on your behalf'],
]);

/** The scope of a request that names none (decision 20). */
export const DEFAULT_SCOPE: Readonly<Record<FlowName, readonly string[]>> = {
  profile: ['basic'],
  openid: ['openid'],
};

/** The scope that a client may ask for unless its registration says more (service spec: two forms of the flow). */
export const DEFAULT_ALLOWED_SCOPE: Readonly<Record<FlowName, readonly string[]>> = {
  profile: ['basic', 'colleagues', 'email'],
  openid: ['openid'],
};

/** Every scope that a flow knows at all; `openid` belongs to Form B. */
export const EVERY_SCOPE: Readonly<Record<FlowName, readonly string[]>> = {
  profile: ['basic', 'colleagues', 'email', 'search'],
  openid: ['openid', 'basic', 'colleagues', 'email', 'search'],
};

const SCOPE_TEXT = /^[\x21\x23-\x5B\x5D-\x7E]+( +[\x21\x23-\x5B\x5D-\x7E]+)*$/;

/** @returns true when the text is made of legal scope-tokens and spaces (RFC 6749 section 3.3). */
export function isScopeText(text: string): boolean {
  return SCOPE_TEXT.test(text);
}

/** @returns the words of a scope, each once. */
export function scopeWords(text: string): string[] {
  return [...new Set(text.split(' ').filter((word) => word !== ''))];
}
