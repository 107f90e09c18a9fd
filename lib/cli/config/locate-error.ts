import type { JSONText, JSONValue } from './json-text.js';

interface Candidate {
  readonly path: string;
  readonly value: JSONValue;
}

/**
 * @returns the path, at or below another, of the value that a sentence of the mock provider speaks of: it names the option
 * (`lifetimes.code must be ...`) or quotes the text (`redirectURIs cannot hold "http://..."`). Undefined when it does neither.
 */
export function pathInMessage(sentence: string, { value, places }: JSONText, under = ''): string | undefined {
  const candidates = [...places.keys()]
    .filter((path) => path.startsWith(under) && path !== under)
    .map((path): Candidate => ({ path, value: valueAt(value, path) }));
  const dotted = candidates.find(
    ({ path }) => isDotted(relative(path, under)) && hasWord(sentence, relative(path, under)),
  );
  if (dotted) return dotted.path;
  const quoted = candidates.find(
    (one) => typeof one.value === 'string' && sentence.includes(JSON.stringify(one.value)),
  );
  if (quoted && quoted.value !== '') return quoted.path;
  const named = candidates
    .map(({ path }) => ({ path, at: wordAt(sentence, path.replace(/^.*\./, '')) }))
    .filter(({ at }) => at >= 0);
  return named.sort((a, b) => a.at - b.at)[0]?.path;
}

function valueAt(root: JSONValue, path: string): JSONValue {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
  return steps.reduce((value, step) => (value as Record<string, JSONValue>)[step] as JSONValue, root);
}

const isDotted = (path: string): boolean => path.includes('.');

function relative(path: string, under: string): string {
  return path.slice(under.length).replace(/^\./, '');
}

function hasWord(sentence: string, word: string): boolean {
  return wordAt(sentence, word) >= 0;
}

/** Where a word begins that no letter touches, or -1. */
function wordAt(sentence: string, word: string): number {
  const escaped = word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return sentence.search(new RegExp(`(?<![\\w.])${escaped}(?![\\w])`));
}
