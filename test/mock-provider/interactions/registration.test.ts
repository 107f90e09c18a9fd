import { describe, expect, test } from '@jest/globals';
import { PERSONAS } from '../../../lib/mock-provider/options/personas.js';
import { provider } from '../../helpers/provider.js';
import { authorizePath, callback, formOf, heading, linkTo, textOf, Visitor } from '../visitor.js';
import { ANN, create } from './registrant.js';

describe('prompt=create', () => {
  test('shows account creation, signs the user in and shows the consent page', async () => {
    const visitor = new Visitor(provider);
    const page = await create(provider, visitor);
    expect(page.status).toBe(200);
    expect(heading(page)).toBe('Create your account');
    const consent = await visitor.submit(page, ANN);
    expect(heading(consent)).toBe('127.0.0.1:5001 asks for your approval');
    expect(textOf(consent)).toContain('Signed in as Ann Lee, NP');
    expect(callback(await visitor.submit(consent, { decision: 'approve' })).has('code')).toBe(true);
    expect(provider.clinicians.get('ann.lee@clinic.example')).toMatchObject({
      firstName: 'Ann',
      lastName: 'Lee',
      fullName: 'Ann Lee, NP',
      npi: 1000000004,
      credentials: 'NP',
      specialty: 'Family Medicine',
      email: 'ann.lee@clinic.example',
      verified: true,
      sub: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    });
  });

  test('is shown to a signed-in user and signs in the new user', async () => {
    const visitor = new Visitor(provider);
    await visitor.signIn(await visitor.get(authorizePath(provider)), 'verified');
    const page = await create(provider, visitor);
    expect(heading(page)).toBe('Create your account');
    expect(textOf(await visitor.submit(page, ANN))).toContain('Signed in as Ann Lee, NP');
  });

  test.each(['create login', 'login create', 'consent create'])('has the first page with prompt=%s', async (prompt) => {
    expect(heading(await create(provider, new Visitor(provider), { prompt }))).toBe('Create your account');
  });

  test('with login needs no login after the registration', async () => {
    const visitor = new Visitor(provider);
    const consent = await visitor.submit(await create(provider, visitor, { prompt: 'create login' }), ANN);
    expect(heading(consent)).toBe('127.0.0.1:5001 asks for your approval');
  });

  test('lets a user with an account sign in', async () => {
    const visitor = new Visitor(provider);
    const login = await visitor.get(linkTo(await create(provider, visitor), 'Sign in'));
    expect(heading(login)).toBe('Sign in');
    expect(heading(await visitor.signIn(login, 'verified'))).toBe('127.0.0.1:5001 asks for your approval');
  });

  test('is linked on the login page, and the new password works', async () => {
    const visitor = new Visitor(provider);
    const login = await visitor.get(authorizePath(provider));
    await visitor.submit(await visitor.get(linkTo(login, 'Create an account')), ANN);
    const elsewhere = new Visitor(provider);
    const consent = await elsewhere.submit(await elsewhere.get(authorizePath(provider)), {
      username: 'ann.lee@clinic.example',
      password: ANN.password,
    });
    expect(textOf(consent)).toContain('Signed in as Ann Lee, NP');
  });

  test('is passed by provider.signIn() with an existing account', async () => {
    const url = `${provider.issuer}${authorizePath(provider, { prompt: 'create' })}`;
    expect(await provider.signIn(url, { as: 'verified' })).toMatch(/[?&]code=/);
  });

  test('creates an account that reset() removes', async () => {
    const visitor = new Visitor(provider);
    await visitor.submit(await create(provider, visitor), ANN);
    provider.reset();
    expect(provider.clinicians.names()).not.toContain('ann.lee@clinic.example');
  });
});

describe('an invalid field is shown with its problem', () => {
  const wrong = [
    ['firstName', '', 'Enter your first name.'],
    ['lastName', ' ', 'Enter your last name.'],
    ['lastName', 'x'.repeat(61), 'Use at most 60 characters.'],
    ['npi', '', 'Enter your NPI.'],
    ['npi', '123456789', 'Enter ten digits, the first of them 1 or 2.'],
    ['npi', '3000000000', 'Enter ten digits, the first of them 1 or 2.'],
    ['npi', '1000000005', 'This NPI is invalid: its check digit does not match.'],
    ['npi', '0100000000', 'Enter ten digits, the first of them 1 or 2.'],
    ['credentials', '', 'Enter your credentials.'],
    ['specialty', '', 'Enter your specialty.'],
    ['email', '', 'Enter your email address.'],
    ['email', 'ann@@clinic.example', 'Enter an email address such as name@clinic.example.'],
    ['email', 'ann\uFF20clinic.example', 'Enter an email address such as name@clinic.example.'],
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
    expect(heading(good)).toBe('127.0.0.1:5001 asks for your approval');
  });

  test('for an email address that has an account, in any case', async () => {
    const first = new Visitor(provider);
    await first.submit(await create(provider, first), ANN);
    const second = new Visitor(provider);
    const again = await second.submit(await create(provider, second), { ...ANN, email: 'ANN.LEE@clinic.example' });
    expect(again.status).toBe(400);
    expect(textOf(again)).toContain('This email address already has an account. Sign in instead.');
  });

  test('but an NPI may have spaces and hyphens', async () => {
    const visitor = new Visitor(provider);
    const consent = await visitor.submit(await create(provider, visitor), { ...ANN, npi: '1000-000 004' });
    expect(textOf(consent)).toContain('Signed in as Ann Lee, NP');
  });

  test('and a registration form is accepted once', async () => {
    const visitor = new Visitor(provider);
    const page = await create(provider, visitor);
    await visitor.submit(page, ANN);
    const { action, hidden } = formOf(page);
    const again = await visitor.post(action, { ...hidden, ...ANN, email: 'other@clinic.example' });
    expect(again.status).toBe(403);
    expect(provider.clinicians.names()).toHaveLength(6);
  });
});
