import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from './imports.js';

const IN_SOURCE = [
  /new \w*Error\(\s*'([a-z][a-z_]+)'/g,
  /\bcode: '([a-z][a-z_]+)'/g,
  /\bfailOption\(\s*'([a-z][a-z_]+)'/g,
  /super\(\s*'([a-z][a-z_]+)'/g,
  /\binvalid\(\s*'(id_token_[a-z_]+)'/g,
];

/** Every error code that the relying party's source can give. */
function codesInSource(): string[] {
  const files = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/^(mock-provider|testing|cli)\b/.test(file),
  );
  const codes = files.flatMap((file) => {
    const source = readFileSync(join(root, 'lib', file), 'utf8');
    return IN_SOURCE.flatMap((pattern) => [...source.matchAll(pattern)].map(([, code]) => code as string));
  });
  return [...new Set(codes)].sort();
}

describe('docs/errors.md', () => {
  const documented = [...readFileSync(join(root, 'docs/errors.md'), 'utf8').matchAll(/^\|(.*?)\|/gm)]
    .flatMap(([, cell]) => [...(cell as string).matchAll(/`([a-z_]+)`/g)].map(([, code]) => code as string))
    .filter((code) => !['sign_in', 'tell_user', 'retry', 'investigate', 'fix_code'].includes(code));

  test('has every code that the source has', () => {
    const codes = codesInSource();
    expect(codes.length).toBeGreaterThan(60);
    expect(codes.filter((code) => !documented.includes(code))).toEqual([]);
  });

  test('has each code once, and none that there is not', () => {
    expect(documented.filter((code, index) => documented.indexOf(code) !== index)).toEqual([]);
    const known = [...codesInSource(), 'access_denied', 'rate_limited', 'state_mismatch'];
    expect(documented.filter((code) => !known.includes(code))).toEqual([]);
  });
});
