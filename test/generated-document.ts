import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { root } from './architecture/imports.js';

/** Formats a document as `npm run format` does: JSON only, biome formats no Markdown. */
function format(document: string, text: string): string {
  if (!document.endsWith('.json')) return text;
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  const options = { cwd: root, input: text, encoding: 'utf8' } as const;
  return execFileSync(process.execPath, [biome, 'format', `--stdin-file-path=${document}`], options);
}

/**
 * Compares a document with the text that its generator makes; with WRITE_GENERATED it writes the text instead.
 * @param command the npm script that writes it, for the message of a failure
 */
export function expectGenerated(document: string, generated: string, command: string): void {
  const file = join(root, document);
  const text = format(document, generated);
  if (process.env.WRITE_GENERATED) writeFileSync(file, text);
  const isCurrent = readFileSync(file, 'utf8') === text;
  expect({ document, isCurrent, fix: command }).toEqual({ document, isCurrent: true, fix: command });
}
