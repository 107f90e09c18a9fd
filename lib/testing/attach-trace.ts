import type { MockProvider, Problem } from '../mock-provider/mock-provider.js';

const MOST_CAUSES = 20;

/** What the mock provider saw, as the last cause of a test's error, where every runner prints it below the error itself. */
class MockProviderSaw extends Error {
  override name = 'MockProvider';
}

/** @returns why each refusal after a request happened, a line each; '' when there was none. */
export function problemsAfter(provider: MockProvider, request: number): string {
  return provider.problems
    .filter((problem) => problem.request > request)
    .map((problem) => `\n  ${problemLine(problem)}`)
    .join('');
}

/**
 * Tells with an error what the provider saw, as the cause of it or of its first cause: the error's own words, and the difference
 * that an assertion shows, stay as they are.
 */
export function attachTrace(error: unknown, provider: MockProvider): void {
  if (provider.requests.length === 0) return;
  const first = firstCause(error);
  if (first === undefined || first instanceof MockProviderSaw || !Object.isExtensible(first)) return;
  const cause = new MockProviderSaw(exchangeOf(provider));
  // It has no place in the code that would tell anybody anything.
  cause.stack = `${cause.name}: ${cause.message}`;
  Object.defineProperty(first, 'cause', { value: cause, configurable: true, writable: true, enumerable: false });
}

function firstCause(error: unknown): Error | undefined {
  let at = error;
  for (let count = 0; at instanceof Error && count < MOST_CAUSES; count += 1) {
    if (at.cause === undefined || at.cause === null) return at;
    at = at.cause;
  }
  return undefined;
}

function exchangeOf(provider: MockProvider): string {
  const refused = problemsAfter(provider, 0);
  const why = refused === '' ? 'It refused nothing.' : `It refused:${refused}`;
  return `what the mock provider saw. ${why}\n${provider.trace().trimEnd()}`;
}

function problemLine({ endpoint, error, reason, rule, source, request, fix }: Problem): string {
  const advice = fix === undefined ? '' : `. ${fix}`;
  return `request ${request}, ${endpoint}: ${error}: ${reason} (${rule}; ${source})${advice}`;
}
