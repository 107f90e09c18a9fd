import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';

const tracer = trace.getTracer('passport-clinician');
const operations = ['sign-in', 'token-request', 'refresh', 'profile-request', 'guard'];

/** Holds the span of the operation that contains the current one. */
const spans = new AsyncLocalStorage();

/** Creates a span for each operation of passport-clinician. */
export function traceClinician() {
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
