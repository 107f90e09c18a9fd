import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { SpanStatusCode, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { signIn } from 'passport-clinician/testing';
import request from 'supertest';
import { site } from './site.js';
import { traceClinician } from './tracing.js';

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
traceClinician();

const provider = await startMockProvider();
afterEach(() => {
  exporter.reset();
  provider.reset();
});
after(() => provider.stop());

/** Returns each span as its name, its kind and the name of its parent. */
function spansIn(exported) {
  const names = new Map(exported.map((span) => [span.spanContext().spanId, span.name]));
  return exported.map(({ name, attributes, parentSpanContext }) =>
    [name, attributes['clinician.kind'], names.get(parentSpanContext?.spanId)].filter(Boolean).join(' < '),
  );
}

test('a sign-in is a span that contains its token request and its profile request', async () => {
  const agent = request.agent(site(provider));
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/notes').expect(200);
  assert.deepEqual(spansIn(exporter.getFinishedSpans()), [
    'clinician token-request < authorization_code < clinician sign-in',
    'clinician profile-request < clinician sign-in',
    'clinician sign-in < page',
    'clinician guard < requireVerified',
  ]);
});

test('a failed token request has its error code, and no token', async () => {
  provider.faults.next('badSignature');
  await signIn(request.agent(site(provider)), provider, { as: 'verified' });
  const [tokenRequest] = exporter.getFinishedSpans();
  assert.equal(tokenRequest.status.code, SpanStatusCode.ERROR);
  assert.equal(tokenRequest.attributes['error.type'], 'id_token_signature_invalid');
  assert.doesNotMatch(JSON.stringify([tokenRequest.attributes, tokenRequest.status]), /eyJ/);
});
