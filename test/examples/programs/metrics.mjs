import { subscribe } from 'node:diagnostics_channel';
import { Counter, Histogram, register } from 'prom-client';

const events = new Counter({
  name: 'clinician_events_total',
  help: 'Events of passport-clinician.',
  labelNames: ['name', 'level', 'code'],
});
const durations = new Histogram({
  name: 'clinician_operation_seconds',
  help: 'Durations of sign-ins, token requests, refreshes, profile requests and guards.',
  labelNames: ['operation', 'code'],
});

subscribe('passport-clinician:event', ({ name, level, code = '' }) => events.inc({ name, level, code }));
for (const operation of ['sign-in', 'token-request', 'refresh', 'profile-request', 'guard']) {
  for (const end of ['end', 'asyncEnd']) {
    subscribe(`tracing:passport-clinician:${operation}:${end}`, ({ durationMs, code = '' }) => {
      if (durationMs !== undefined) durations.observe({ operation, code }, durationMs / 1000);
    });
  }
}

/** Responds with the metrics, on a port that is not public. */
export async function metrics(_req, res) {
  res.setHeader('Content-Type', register.contentType);
  res.end(await register.metrics());
}
