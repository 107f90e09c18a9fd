// A failing test of node:test: its output must have the requests that the mock provider received.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withMockProvider } from 'passport-clinician/testing';

test('a page of the provider', () =>
  withMockProvider(async (provider) => {
    const response = await provider.fetch(`${provider.issuer}/oauth/token`, { method: 'POST' });
    assert.equal(response.status, 200);
  }));
