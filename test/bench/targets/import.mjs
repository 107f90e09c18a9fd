import { importPackage } from '../package-entry.mjs';

/** Imports one package. `elapsedMs` is the time of the import. */
export default async function start({ entryPoint, specifier }) {
  const { user, system } = process.cpuUsage();
  const startedAt = performance.now();
  await (specifier ? import(specifier) : importPackage(entryPoint));
  const elapsedMs = performance.now() - startedAt;
  const used = process.cpuUsage();
  return { info: { elapsedMs, cpuMs: (used.user + used.system - user - system) / 1000 } };
}
