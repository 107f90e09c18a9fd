import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { signIn } from 'passport-clinician/testing';
import request from 'supertest';
import { measureClinician } from './metrics.js';
import { site } from './site.js';

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
measureClinician();

const provider = await startMockProvider();
after(async () => {
  await reader.shutdown();
  await provider.stop();
});

test('a sign-in and a failed one are counted and measured, without a token', async () => {
  const app = site(provider);
  await signIn(request.agent(app), provider, { as: 'verified' });
  provider.faults.next('badSignature');
  await signIn(request.agent(app), provider, { as: 'verified' });

  await reader.forceFlush();
  const exported = exporter.getMetrics().at(-1).scopeMetrics[0].metrics;
  const [events, durations] = exported.map(({ dataPoints }) => dataPoints);
  const failed = 'id_token_signature_invalid';
  const count = (name) => events.find(({ attributes }) => attributes.name === name)?.value;
  assert.deepEqual([count('signed_in'), count('sign_in_failed')], [1, 1]);
  assert.equal(events.find(({ attributes }) => attributes.name === 'sign_in_failed').attributes['error.type'], failed);

  const signIns = durations.filter(({ attributes }) => attributes.operation === 'sign-in');
  assert.deepEqual(
    signIns.map(({ attributes, value }) => [attributes['error.type'], value.count, value.sum < 10]),
    [
      [undefined, 1, true],
      [failed, 1, true],
    ],
  );
  assert.doesNotMatch(JSON.stringify(exported), /eyJ/);
});
