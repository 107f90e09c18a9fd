import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { root } from '../architecture/imports.js';
import { siteFor } from '../example-app/site.js';

describe('/readyz of the reference site', () => {
  let provider: MockProvider;
  beforeAll(async () => {
    provider = await startMockProvider();
  });
  afterAll(() => provider.stop());

  test('shows the status only', async () => {
    const { body } = await supertest(siteFor(provider)).get('/readyz').expect(200);
    expect(body).toEqual({ ok: true });
  });

  test('shows the parts of the site with READYZ_DETAILS=true', async () => {
    const { body } = await supertest(siteFor(provider, { readyzDetails: true }))
      .get('/readyz')
      .expect(200);
    expect(body).toMatchObject({ ok: true, store: { state: 'up' }, service: { state: expect.any(String) } });
  });
});

const SECRET_FILES = ['.env', '.env.production', 'example-app/compose/.env', 'example-app/.env.local'];

test.each(SECRET_FILES)('git ignores %s', (file) => {
  expect(execFileSync('git', ['check-ignore', '--no-index', file], { cwd: root, encoding: 'utf8' })).toBe(`${file}\n`);
});

test('no image contains a file of secrets, in any folder', () => {
  // Unlike in .gitignore, a pattern without a folder matches in the root only.
  const patterns = readFileSync(join(root, 'example-app/compose/Dockerfile.dockerignore'), 'utf8').split('\n');
  expect(patterns).toContain('**/.env*');
  expect(patterns.filter((pattern) => pattern.startsWith('!'))).toEqual([]);
});
