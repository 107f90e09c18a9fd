import { importPackage } from '../package-entry.mjs';

/** Imports this package, or another one. `elapsedMs` is the time of the import. */
export default async function start({ specifier }) {
  const startedAt = performance.now();
  await (specifier ? import(specifier) : importPackage());
  return { info: { elapsedMs: performance.now() - startedAt } };
}
