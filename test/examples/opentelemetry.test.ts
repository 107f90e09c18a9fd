import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { metrics, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import request from 'supertest';
import { startMockProvider } from '../../lib/mock-provider/start.js';
import { signIn } from '../../lib/testing/testing.js';
import { takePrinted } from '../helpers/printed.js';

const spans = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
const measurements = new InMemoryMetricExporter(AggregationTemporality.DELTA);
const reader = new PeriodicExportingMetricReader({ exporter: measurements });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
const [program, project] = ['./programs/opentelemetry.mjs', './node-test/site.js'];
const { measureClinician, traceClinician } = await import(program);
const { site } = await import(project);
measureClinician();
traceClinician();

const provider = await startMockProvider();
beforeEach(() => {
  spans.reset();
  provider.reset();
});
afterAll(async () => {
  await reader.shutdown();
  await provider.stop();
});

/** @returns each span as its name, its kind and the name of its parent. */
function exportedSpans(): string[] {
  const exported = spans.getFinishedSpans();
  const names = new Map(exported.map((span) => [span.spanContext().spanId, span.name]));
  return exported.map(({ name, attributes, parentSpanContext }) =>
    [name, attributes['clinician.kind'], names.get(parentSpanContext?.spanId ?? '')].filter(Boolean).join(' < '),
  );
}

test('a sign-in is a span that contains its token request and its profile request', async () => {
  const agent = request.agent(site(provider));
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/notes').expect(200);
  expect(exportedSpans()).toEqual([
    'clinician token-request < authorization_code < clinician sign-in',
    'clinician profile-request < clinician sign-in',
    'clinician sign-in < page',
    'clinician guard < requireVerified',
  ]);
});

async function failToSignIn(): Promise<void> {
  provider.faults.next('badSignature');
  await signIn(request.agent(site(provider)), provider, { as: 'verified' });
  expect(takePrinted()).toEqual([expect.stringContaining('[id_token_signature_invalid]')]);
}

test('a failed token request has its error code, and no token', async () => {
  await failToSignIn();
  const [tokenRequest] = spans.getFinishedSpans();
  expect(tokenRequest?.status.code).toBe(SpanStatusCode.ERROR);
  expect(tokenRequest?.attributes['error.type']).toBe('id_token_signature_invalid');
  expect(JSON.stringify([tokenRequest?.attributes, tokenRequest?.status])).not.toContain('eyJ');
});

test('sign-ins and failures are counted and measured, without a token', async () => {
  await reader.forceFlush();
  measurements.reset();
  await signIn(request.agent(site(provider)), provider, { as: 'verified' });
  await failToSignIn();
  await reader.forceFlush();
  const exported = measurements.getMetrics().at(-1)?.scopeMetrics[0]?.metrics ?? [];
  const [events = [], durations = []] = exported.map(({ dataPoints }) => dataPoints);
  const failed = 'id_token_signature_invalid';
  const count = (name: string) => events.find(({ attributes }) => attributes.name === name)?.value;
  expect([count('signed_in'), count('sign_in_failed')]).toEqual([1, 1]);
  const failure = events.find(({ attributes }) => attributes.name === 'sign_in_failed');
  expect(failure?.attributes['error.type']).toBe(failed);
  const signIns = durations.filter(({ attributes }) => attributes.operation === 'sign-in');
  expect(signIns.map(({ attributes, value }) => [attributes['error.type'], value])).toEqual([
    [undefined, expect.objectContaining({ count: 1 })],
    [failed, expect.objectContaining({ count: 1 })],
  ]);
  expect(JSON.stringify(exported)).not.toContain('eyJ');
});
