import { test } from 'node:test';
import { testTokenStore } from 'passport-clinician/testing';
import { OwnTokenStore } from './own-token-store.js';

test('the token store complies with every rule', () => testTokenStore(new OwnTokenStore()));
