import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, tracingChannel } from 'node:diagnostics_channel';
import { context, metrics, SpanStatusCode, trace } from '@opentelemetry/api';

const operations = ['sign-in', 'token-request', 'refresh', 'profile-request', 'guard'];

/** Creates a span for each operation of passport-clinician. */
export function traceClinician() {
  const tracer = trace.getTracer('passport-clinician');
  const spans = new AsyncLocalStorage(); // the span of the operation that contains the current one
  for (const operation of operations) {
    const byMessage = new WeakMap();

    function start(message) {
      const outer = spans.getStore();
      const parent = outer ? trace.setSpan(context.active(), outer) : context.active();
      const attributes = { 'clinician.flow': message.flow, 'clinician.kind': message.kind };
      const span = tracer.startSpan(`clinician ${operation}`, { attributes }, parent);
      byMessage.set(message, span);
      return span;
    }

    function end(message) {
      const span = byMessage.get(message);
      // An operation that continues has no duration yet.
      if (!span || message.durationMs === undefined) return;
      if (message.code) span.setAttribute('error.type', message.code);
      if (message.error) span.setStatus({ code: SpanStatusCode.ERROR, message: message.error.message });
      span.end();
      byMessage.delete(message);
    }

    const channels = tracingChannel(`passport-clinician:${operation}`);
    channels.start.bindStore(spans, start);
    channels.end.subscribe(end);
    channels.asyncEnd.subscribe(end);
  }
}

/** Counts the events of passport-clinician, and measures its operations. */
export function measureClinician() {
  const meter = metrics.getMeter('passport-clinician');
  const events = meter.createCounter('clinician.events');
  const durations = meter.createHistogram('clinician.operation.duration', {
    unit: 's',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
  });

  const failure = (code) => (code ? { 'error.type': code } : {});
  subscribe('passport-clinician:event', ({ name, level, code }) => events.add(1, { name, level, ...failure(code) }));
  for (const operation of operations) {
    for (const end of ['end', 'asyncEnd']) {
      subscribe(`tracing:passport-clinician:${operation}:${end}`, ({ durationMs, code }) => {
        if (durationMs !== undefined) durations.record(durationMs / 1000, { operation, ...failure(code) });
      });
    }
  }
}
