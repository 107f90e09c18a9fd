import type { MockProvider, Problem } from '../mock-provider/mock-provider.js';

const MAX_CAUSES = 20;

/** The requests that the mock provider received, as the last cause of an error. Test runners print causes below the error. */
class MockProviderTrace extends Error {
  override name = 'MockProvider';
}

/** @returns one line for each request after this one that the provider refused, with the reason; '' when there is none. */
export function problemsAfter(provider: MockProvider, request: number): string {
  return provider.problems
    .filter((problem) => problem.request > request)
    .map((problem) => `\n  ${problemLine(problem)}`)
    .join('');
}

/**
 * Adds the provider's trace to an error, as the cause of its innermost cause, which test runners print. The error's own message
 * does not change, nor the difference that an assertion prints.
 */
export function attachTrace(error: unknown, provider: MockProvider): void {
  if (provider.requests.length === 0) return;
  const innermost = innermostCause(error);
  if (innermost === undefined || innermost instanceof MockProviderTrace || !Object.isExtensible(innermost)) return;
  const cause = new MockProviderTrace(traceOf(provider));
  cause.stack = `${cause.name}: ${cause.message}`; // a stack trace would point into this file
  Object.defineProperty(innermost, 'cause', { value: cause, configurable: true, writable: true, enumerable: false });
}

function innermostCause(error: unknown): Error | undefined {
  let current = error;
  for (let count = 0; current instanceof Error && count < MAX_CAUSES; count += 1) {
    if (current.cause === undefined || current.cause === null) return current;
    current = current.cause;
  }
  return undefined;
}

function traceOf(provider: MockProvider): string {
  const problems = problemsAfter(provider, 0);
  const refused = problems === '' ? 'It refused no request.' : `It refused:${problems}`;
  return `the requests that the mock provider received. ${refused}\n${provider.trace().trimEnd()}`;
}

function problemLine({ endpoint, error, reason, rule, source, request, fix }: Problem): string {
  const advice = fix === undefined ? '' : `. ${fix}`;
  return `request ${request}, ${endpoint}: ${error}: ${reason} (${rule}; ${source})${advice}`;
}
