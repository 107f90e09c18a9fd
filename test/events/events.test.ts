import { describe, expect, jest, test } from '@jest/globals';
import { ClinicianError, DeniedError, ServiceUnavailableError } from '../../lib/errors/errors.js';
import { type ClinicianEvent, Events } from '../../lib/events/events.js';

const clock = { now: () => 1_000 };

test.each([
  ['clinician:*', 1],
  ['express:*,clinician:*', 1],
  ['express:* *', 1],
  ['express:*', 0],
  ['', 0],
])('DEBUG=%s prints an event as one line, even when an id contains line breaks: %j', (setting, count) => {
  const before = process.env.DEBUG;
  process.env.DEBUG = setting;
  const lines: unknown[] = [];
  const write = jest.spyOn(process.stderr, 'write').mockImplementation((line) => Boolean(lines.push(line)));
  try {
    new Events({ clock, flow: 'openid', onEvent: undefined }).emit('signed_in', { userID: 'a\r\n\u001b[31mb' });
  } finally {
    write.mockRestore();
    process.env.DEBUG = before ?? '';
  }
  expect(lines).toEqual(Array(count).fill('clinician:signed_in {"flow":"openid","userID":"a\\r\\n\\u001b[31mb"}\n'));
});

test('an exception of a listener is ignored', () => {
  const onEvent = () => {
    throw new Error('log is full');
  };
  expect(() => new Events({ clock, flow: 'profile', onEvent }).emit('signed_in')).not.toThrow();
});

describe('a failure', () => {
  function emitted(error: unknown): ClinicianEvent {
    const events: ClinicianEvent[] = [];
    const onEvent = (event: ClinicianEvent) => events.push(event);
    new Events({ clock, flow: 'openid', onEvent }).emit('sign_in_failed', { error });
    return events[0] as ClinicianEvent;
  }

  test.each<[string, unknown, object]>([
    [
      'of the service, whose message is for the operator',
      new ServiceUnavailableError('service_unreachable', 'https://auth.example cannot be reached.'),
      {
        ...{ level: 'warn', code: 'service_unreachable', remedy: 'retry' },
        message: 'A sign-in failed. https://auth.example cannot be reached.',
      },
    ],
    [
      'of the user, whose message may quote the request',
      new DeniedError('scope_missing', 'planted'),
      {
        level: 'info',
        code: 'scope_missing',
        remedy: 'tell_user',
        message: 'A sign-in failed. The user has not approved a scope, or your site does not request it.',
      },
    ],
    [
      'with a code of the service',
      new ClinicianError('planted', { code: 'login_required', status: 401, remedy: 'sign_in' }),
      {
        ...{ level: 'info', code: 'login_required', remedy: 'sign_in' },
        message: 'A sign-in failed. The service returned the error login_required.',
      },
    ],
    [
      'that is an exception of the site, whose message may contain anything',
      Object.assign(new Error('planted'), { code: 'planted code' }),
      {
        ...{ level: 'error', code: 'unknown', remedy: 'fix_code' },
        message: 'A sign-in failed. Your code threw an error.',
      },
    ],
  ])('%s has its level, message and remedy', (_, error, expected) => {
    expect(emitted(error)).toEqual({ name: 'sign_in_failed', at: 1_000, flow: 'openid', ...expected });
  });
});
