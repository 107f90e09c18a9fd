import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { PERSONAS } from '../../../lib/mock-provider/options/personas.js';
import { provider } from '../../helpers/provider.js';
import {
  authorizePath,
  callback,
  heading,
  linkTo,
  type PageResponse,
  profileFlowPath,
  textOf,
  Visitor,
} from '../visitor.js';

/** The fields of a user without an account for the registration page. */
const ANN = {
  firstName: 'Ann',
  lastName: 'Lee',
  npi: '1000000004',
  credentials: 'NP',
  specialty: 'Family Medicine',
  email: 'Ann.Lee@Clinic.Example',
  password: 'a long password',
};

function create(provider: MockProvider, visitor: Visitor, more: Record<string, string> = {}): Promise<PageResponse> {
  return visitor.get(authorizePath(provider, { prompt: 'create', ...more }));
}

describe('prompt=create', () => {
  test('shows account creation, signs the user in and shows the consent page', async () => {
    const visitor = new Visitor(provider);
    const page = await create(provider, visitor);
    expect(page.status).toBe(200);
    expect(heading(page)).toBe('Create your account');
    const consent = await visitor.submit(page, ANN);
    expect(heading(consent)).toBe('My site asks for your approval');
    expect(textOf(consent)).toContain('Signed in as Ann Lee, NP');
    expect(callback(await visitor.submit(consent, { decision: 'approve' })).has('code')).toBe(true);
    const { password: _, ...entered } = ANN;
    expect(provider.clinicians.get('ann.lee@clinic.example')).toMatchObject({
      ...{ ...entered, npi: 1000000004, email: 'ann.lee@clinic.example', fullName: 'Ann Lee, NP', verified: true },
      sub: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    });
  });

  test('is linked on the login page, and the new password works', async () => {
    const visitor = new Visitor(provider);
    const login = await visitor.get(authorizePath(provider));
    await visitor.submit(await visitor.get(linkTo(login, 'Create an account')), ANN);
    const elsewhere = new Visitor(provider);
    const credentials = { username: 'ann.lee@clinic.example', password: ANN.password };
    const consent = await elsewhere.submit(await elsewhere.get(authorizePath(provider)), credentials);
    expect(textOf(consent)).toContain('Signed in as Ann Lee, NP');
  });
});

describe('an invalid field is shown with its problem', () => {
  const wrong = [
    ['firstName', '', 'Enter your first name.'],
    ['lastName', 'x'.repeat(61), 'Use at most 60 characters.'],
    ['npi', '1000000005', 'This NPI is invalid: its check digit does not match.'],
    ['email', '\u212Aate@clinic.example', 'Enter an email address such as name@clinic.example.'],
    ['password', 'seven77', 'Use at least 8 characters.'],
  ] as const;

  test.each(wrong)('%s = %j', async (field, value, problem) => {
    const visitor = new Visitor(provider);
    const again = await visitor.submit(await create(provider, visitor), { ...ANN, [field]: value });
    expect(again.status).toBe(400);
    expect(again.text).toContain(`<p class="problem" id="${field}-problem">${problem}</p>`);
    expect(again.text).toMatch(
      new RegExp(`id="${field}"[^>]*aria-describedby="[^"]*${field}-problem"[^>]*aria-invalid="true"`),
    );
    expect(again.text).toContain(`<div class="alert" role="alert" tabindex="-1" autofocus>`);
    expect(again.text).toContain(`<a href="#${field}">${problem}</a>`);
    expect(again.text).not.toContain(ANN.password);
    expect(provider.clinicians.names()).toHaveLength(PERSONAS.length);
    const good = await visitor.submit(again, ANN);
    expect(heading(good)).toBe('My site asks for your approval');
  });

  test('for an email address that has an account, in any case', async () => {
    const first = new Visitor(provider);
    await first.submit(await create(provider, first), ANN);
    const second = new Visitor(provider);
    const again = await second.submit(await create(provider, second), { ...ANN, email: 'ANN.LEE@clinic.example' });
    expect(again.status).toBe(400);
    expect(textOf(again)).toContain('This email address already has an account. Sign in instead.');
  });
});

describe('the verification page', () => {
  let slow: MockProvider;
  beforeAll(async () => {
    slow = await startMockProvider({ verification: 'queued', lifetimes: { session: '10 days' } });
  });
  afterEach(() => slow.reset());
  afterAll(() => slow.stop());

  test('is shown to a new user, who continues unverified and is verified after three days', async () => {
    const visitor = new Visitor(slow);
    const waiting = await visitor.submit(await create(slow, visitor), ANN);
    expect(heading(waiting)).toBe('We are checking your details');
    expect(textOf(waiting)).toContain('A manual check takes at most three days');
    const consent = await visitor.submit(waiting, {});
    expect(heading(consent)).toBe('My site asks for your approval');
    expect(slow.clinicians.get('ann.lee@clinic.example').verified).toBe(false);
    slow.clock.advance('2 days');
    expect(slow.clinicians.get('ann.lee@clinic.example').verified).toBe(false);
    slow.clock.advance('1 day');
    expect(slow.clinicians.get('ann.lee@clinic.example').verified).toBe(true);
  });

  test('shows that the user is verified and continues', async () => {
    const visitor = new Visitor(slow);
    const waiting = await visitor.submit(await create(slow, visitor), ANN);
    slow.clinicians.update('ann.lee@clinic.example', { verified: true });
    expect(heading(await visitor.get('/oauth/verification'))).toBe('You are verified');
    expect(heading(await visitor.get(linkTo(waiting, 'Reload')))).toBe('My site asks for your approval');
  });

  test('is shown to a waiting user with type=verify, not with type=login', async () => {
    const verify = new Visitor(provider);
    const landing = await verify.get(profileFlowPath(provider, { type: 'verify' }));
    const waiting = await verify.signIn(landing, 'pending');
    expect(heading(waiting)).toBe('We are checking your details');
    expect(heading(await verify.submit(waiting, {}))).toBe('My site asks for your approval');
    const login = new Visitor(provider);
    const consent = await login.signIn(await login.get(profileFlowPath(provider)), 'pending');
    expect(heading(consent)).toBe('My site asks for your approval');
  });
});
