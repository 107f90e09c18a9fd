import { describe, expect, jest, test } from '@jest/globals';
import { createEvents, isDebugEnabled } from '../lib/events.js';

const clock = { now: () => 1_000 };

describe('DEBUG', () => {
  test.each([
    ['clinician:*', true],
    ['*', true],
    ['express:*,clinician:*', true],
    ['express:* clinician:signed_in', true],
    ['clinician:signed_out', false],
    ['*,-clinician:*', false],
    ['-clinician:signed_in,clinician:*', false],
    ['', false],
    [undefined, false],
    ['clinician.signed_in', false],
    ['clinician:(.*', false],
  ])('DEBUG=%j enables clinician:signed_in: %j', (setting, isEnabled) => {
    expect(isDebugEnabled(setting, 'clinician:signed_in')).toBe(isEnabled);
  });

  test('an event is one line, even when an id contains line breaks', () => {
    const before = process.env.DEBUG;
    process.env.DEBUG = 'clinician:*';
    const lines: unknown[] = [];
    const write = jest.spyOn(process.stderr, 'write').mockImplementation((line) => Boolean(lines.push(line)));
    try {
      createEvents({ clock, flow: 'openid', onEvent: undefined }).emit('signed_in', { userID: 'a\r\n\u001b[31mb' });
    } finally {
      write.mockRestore();
      process.env.DEBUG = before ?? '';
    }
    expect(lines).toEqual(['clinician:signed_in {"flow":"openid","userID":"a\\r\\n\\u001b[31mb"}\n']);
  });
});

test('an exception of a listener is ignored', () => {
  const events = createEvents({
    clock,
    flow: 'profile',
    onEvent: () => {
      throw new Error('log is full');
    },
  });
  expect(() => events.emit('signed_in')).not.toThrow();
});
