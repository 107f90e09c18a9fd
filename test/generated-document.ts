import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { root } from './architecture/imports.js';

/**
 * Compares a document with the text that its generator makes; with WRITE_GENERATED it writes the text instead.
 * @param command the npm script that writes it, for the message of a failure
 */
export function expectGenerated(document: string, text: string, command: string): void {
  const file = join(root, document);
  if (process.env.WRITE_GENERATED) writeFileSync(file, text);
  const isCurrent = readFileSync(file, 'utf8') === text;
  expect({ document, isCurrent, fix: command }).toEqual({ document, isCurrent: true, fix: command });
}
