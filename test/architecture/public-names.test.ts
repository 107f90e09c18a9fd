import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { clinicianLogin } from '../../lib/index.js';
import { root } from './imports.js';

test('docs/use/express.md names each member of the drop-in', () => {
  const clinician = clinicianLogin({
    issuer: 'https://login.service.example',
    clientID: 'a client',
    clientSecret: 'a client secret',
    callbackURL: 'https://site.example/auth/callback',
    secret: randomBytes(32).toString('base64url'),
  });
  const page = readFileSync(join(root, 'docs/use/express.md'), 'utf8');
  const names = Object.keys(clinician);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !new RegExp(`\\.${name}\\b`).test(page))).toEqual([]);
});
