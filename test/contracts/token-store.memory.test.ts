import { test } from '@jest/globals';
import { MemoryTokenStore } from 'passport-clinician';
import { testTokenStore } from 'passport-clinician/testing';

test('MemoryTokenStore complies with the rules of a token store', () => testTokenStore(new MemoryTokenStore()));
