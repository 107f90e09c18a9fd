import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { clinicianLogin } from '../../lib/index.js';
import { membersOf } from '../documents.js';
import { root, sources } from './imports.js';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** The sources that may read an option, without comments: those that only declare, check or convert options are left out. */
const readers = sources('lib')
  .filter((file) => !/^lib\/(mock-provider|testing|cli|options)\/|-options\.ts$/.test(file))
  .map((file) => read(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''))
  .join('\n');

describe('the drop-in', () => {
  const clinician = clinicianLogin({
    issuer: 'https://login.service.example',
    clientID: 'a client',
    clientSecret: 'a client secret',
    callbackURL: 'https://site.example/auth/callback',
    secret: randomBytes(32).toString('base64url'),
  });
  const names = Object.keys(clinician);

  test('docs/use/express.md names each member', () => {
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !new RegExp(`\\.${name}\\b`).test(read('docs/use/express.md')))).toEqual([]);
  });
});

test.each([
  ['lib/options/options.ts', 'RelyingPartyOptions'],
  ['lib/express/login-options.ts', 'ClinicianLoginOptions'],
  ['lib/passport/strategy-options.ts', 'ClinicianStrategyOptions'],
])('each option in %s is read by a module', (file, name) => {
  const options = membersOf(file, name).map((member) => member.name);
  expect(options.length).toBeGreaterThan(1);
  expect(options.filter((option) => !new RegExp(`\\b${option}\\b`).test(readers))).toEqual([]);
});
