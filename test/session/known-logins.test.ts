import { expect, test } from '@jest/globals';
import { SignInRequiredError } from '../../lib/errors/errors.js';
import { Events } from '../../lib/events/events.js';
import type { ClinicianEvent } from '../../lib/index.js';
import { RequestLimits } from '../../lib/resource-api/request-limits.js';
import { KnownLogins } from '../../lib/session/known-logins.js';
import { movableClock } from '../token-vault/movable-clock.js';

test('the end of a user ends each login of this user, and of no other, and removes the id of the user', () => {
  const events: ClinicianEvent[] = [];
  const clock = movableClock();
  const onEvent = (event: ClinicianEvent) => void events.push(event);
  const known = new KnownLogins({ store: {}, events: new Events({ clock, flow: 'openid', onEvent }) });
  const ended: string[] = [];
  known.onEnd((grantID) => ended.push(grantID));
  for (const grantID of ['a', 'b']) known.add(grantID, 'user');
  known.observe('c', 'other');
  known.endUser('user');
  known.observe('a', 'user');
  known.endUser('user');
  expect(ended).toEqual(['a', 'b']);
  known.endFor('a', new SignInRequiredError('grant_ended', 'ended'));
  known.endFor('c', new SignInRequiredError('grant_ended', 'ended'));
  expect(events).toMatchObject([{ name: 'login_ended', userID: 'other' }]);
});

test('the limits of a user who was forgotten are removed', () => {
  const limits = new RequestLimits({ clock: movableClock() });
  const budget = limits.budgetOf('user');
  expect(limits.budgetOf('user')).toBe(budget);
  limits.remove('user');
  expect(limits.budgetOf('user')).not.toBe(budget);
});
