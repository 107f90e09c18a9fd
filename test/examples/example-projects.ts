import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Projects, packedProjects } from '../package/packed.js';

/** Files that several projects have: docs/test/testing.md shows them once, from the first one. */
const SHARED = [
  ['site.js', 'node-test', ['cypress', 'jest', 'playwright', 'vitest']],
  ['main.js', 'playwright', ['cypress']],
] as const;

/** @returns the projects of docs/, with the package installed. @param packages more packages that the projects need */
export async function exampleProjects(packages: readonly string[] = []): Promise<Projects> {
  const projects = await packedProjects(dirname(fileURLToPath(import.meta.url)), packages);
  for (const [file, from, others] of SHARED) {
    const source = join(projects.folder(from), file);
    for (const project of others) await cp(source, join(projects.folder(project), file));
  }
  return projects;
}
