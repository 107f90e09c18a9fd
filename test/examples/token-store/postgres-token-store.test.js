import { after, before, test } from 'node:test';
import { PGlite } from '@electric-sql/pglite';
import { testTokenStore } from 'passport-clinician/testing';
import { PostgresTokenStore, SCHEMA } from './postgres-token-store.js';

// PostgreSQL inside Node. Your test uses a Pool of the package pg.
const database = new PGlite();
before(() => database.exec(SCHEMA));
after(() => database.close());

test('the token store complies with every rule', () => testTokenStore(new PostgresTokenStore(database)));
