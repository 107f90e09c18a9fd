/** Phrases of the examples of documentation, and of common passwords. */
const PUBLISHED = [
  /keyboard[\W_]*cat/gi,
  /a[\W_]*long[\W_]*randomly[\W_]*generated[\W_]*string[\W_]*stored[\W_]*in[\W_]*env/gi,
  /(?:change|replace|insert|use)[\W_]*(?:me|this|it)/gi,
  /(?:your|my|super|top)[\W_]*secret/gi,
  /correct[\W_]*horse[\W_]*battery[\W_]*staple/gi,
  /password|qwertyuiop|asdfghjkl|letmein/gi,
];
const MIN_UNPREDICTABLE = 16;
/** 32 random digits have fewer in one of 700 cases. */
const MIN_DIFFERENT = 8;
/** More characters do not make a secret weaker, and the checks take quadratic time. */
const MAX_CHECKED = 256;

/**
 * Users receive sealed text, so they can try as many words as they like. A random secret is never refused.
 *
 * @returns why a secret can be guessed, after its name in a message, without a part of it; undefined for a random one.
 * Published phrases do not count
 */
export function weaknessOf(secret: string): string | undefined {
  const start = secret.slice(0, MAX_CHECKED);
  const text = PUBLISHED.reduce((rest, phrase) => rest.replaceAll(phrase, ''), start);
  const published = text.length < start.length ? ' without a published phrase' : '';
  if (new Set(text).size < MIN_DIFFERENT) return `has fewer than ${MIN_DIFFERENT} different characters${published}`;
  if (isRepetition(text)) return `repeats one part${published}`;
  const unpredictable = text.split('').filter((_, index) => !isPredictable(text, index)).length;
  if (unpredictable >= MIN_UNPREDICTABLE) return undefined;
  return `has ${text.length - unpredictable} of ${text.length} characters in sequences such as 123, or in repeated parts${published}`;
}

/** @returns true for a text that repeats its start, of at most half its length, up to its end. */
function isRepetition(text: string): boolean {
  const lengths = Array.from({ length: Math.floor(text.length / 2) }, (_, index) => index + 1);
  return lengths.some((length) => text.startsWith(text.slice(length)));
}

/** @returns true for a character that ends a copy of an earlier part, or continues a sequence. */
function isPredictable(text: string, index: number): boolean {
  if (index < 2) return false;
  const step = text.charCodeAt(index) - text.charCodeAt(index - 1);
  const stepBefore = text.charCodeAt(index - 1) - text.charCodeAt(index - 2);
  if (step === stepBefore && Math.abs(step) <= 1) return true;
  return text.indexOf(text.slice(index - 2, index + 1)) < index - 2;
}
