import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { root } from './architecture/imports.js';

/** Formats a document as `npm run format` does: biome formats no Markdown. */
function format(document: string, text: string): string {
  if (document.endsWith('.md')) return text;
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
  const difference = firstDifference(readFileSync(file, 'utf8'), text);
  expect({ document, difference, fix: command }).toEqual({ document, difference: undefined, fix: command });
}

function firstDifference(current: string, generated: string): object | undefined {
  const [currentLines, generatedLines] = [current.split('\n'), generated.split('\n')];
  const length = Math.max(currentLines.length, generatedLines.length);
  const index = Array.from({ length }).findIndex((_, line) => currentLines[line] !== generatedLines[line]);
  return index < 0 ? undefined : { line: index + 1, current: currentLines[index], generated: generatedLines[index] };
}
