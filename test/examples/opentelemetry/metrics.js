import { subscribe } from 'node:diagnostics_channel';
import { metrics } from '@opentelemetry/api';

/** Counts the events of passport-clinician, and measures its operations. Call it after `metrics.setGlobalMeterProvider()`. */
export function measureClinician() {
  const meter = metrics.getMeter('passport-clinician');
  const events = meter.createCounter('clinician.events');
  const durations = meter.createHistogram('clinician.operation.duration', {
    unit: 's',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
  });

  const failure = (code) => (code ? { 'error.type': code } : {});
  subscribe('passport-clinician:event', ({ name, level, code }) => events.add(1, { name, level, ...failure(code) }));
  for (const operation of ['sign-in', 'token-request', 'refresh', 'profile-request', 'guard']) {
    for (const end of ['end', 'asyncEnd']) {
      subscribe(`tracing:passport-clinician:${operation}:${end}`, ({ durationMs, code }) => {
        if (durationMs !== undefined) durations.record(durationMs / 1000, { operation, ...failure(code) });
      });
    }
  }
}
