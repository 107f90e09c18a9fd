import { tracingChannel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ProtocolError } from '../../lib/errors/errors.js';
import { type ClinicianTrace, trace } from '../../lib/events/tracing.js';

const channels = tracingChannel<object, ClinicianTrace>('passport-clinician:refresh');
const steps: ({ step: string } & ClinicianTrace)[] = [];
const subscriber = Object.fromEntries(
  (['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const).map((step) => [
    step,
    (message: ClinicianTrace) => void steps.push({ step, ...message }),
  ]),
) as never;
afterEach(() => {
  channels.unsubscribe(subscriber);
  steps.length = 0;
});

const failure = new ProtocolError('scope_widened', 'The scope is wider.', { token: 'planted' });

describe('trace()', () => {
  test('without a subscriber returns the result of the call itself', () => {
    const promise = Promise.resolve('tokens');
    expect(trace('refresh', {}, () => promise)).toBe(promise);
  });

  test('with a subscriber returns the same result, and publishes none', async () => {
    channels.subscribe(subscriber);
    expect(await trace('refresh', {}, async () => 'tokens')).toBe('tokens');
    expect(trace('refresh', {}, () => 'tokens')).toBe('tokens');
    expect(steps.map(({ step }) => step)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd', 'start', 'end']);
    expect(inspect(steps, { depth: Number.POSITIVE_INFINITY })).not.toContain('tokens');
  });

  test('throws and rejects with the error itself, and publishes its code', async () => {
    channels.subscribe(subscriber);
    await expect(trace('refresh', {}, () => Promise.reject(failure))).rejects.toBe(failure);
    const fail = () => {
      throw failure;
    };
    expect(() => trace('refresh', {}, fail)).toThrow(failure);
    expect(steps.filter(({ step }) => step === 'error').map(({ code }) => code)).toEqual([
      'scope_widened',
      'scope_widened',
    ]);
    expect(steps.map(({ step }) => step)).toEqual([
      ...['start', 'end', 'error', 'asyncStart', 'asyncEnd'],
      ...['start', 'error', 'end'],
    ]);
  });
});
