import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { authorizePath, callback, formOf, heading, linkTo, type Shown, Visitor, words } from './visitor.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const ANN = {
  firstName: 'Ann',
  lastName: 'Lee',
  npi: '1000000004',
  credentials: 'NP',
  specialty: 'Family Medicine',
  email: 'Ann.Lee@Clinic.Example',
  password: 'a long password',
};

const create = (visitor: Visitor, more: Record<string, string> = {}, at = provider): Promise<Shown> =>
  visitor.get(authorizePath(at, { prompt: 'create', ...more }));

describe('decision 31: prompt=create', () => {
  test('lands on account creation, then the person is signed in and asked for consent', async () => {
    const visitor = new Visitor(provider);
    const page = await create(visitor);
    expect(page.status).toBe(200);
    expect(heading(page)).toBe('Create your account');
    const consent = await visitor.submit(page, ANN);
    expect(heading(consent)).toBe('Your application asks for your approval');
    expect(words(consent)).toContain('Signed in as Ann Lee, NP');
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

  test('is shown to somebody who is signed in, too, and signs them in as the new person', async () => {
    const visitor = new Visitor(provider);
    await visitor.signIn(await visitor.get(authorizePath(provider)), 'verified');
    const page = await create(visitor);
    expect(heading(page)).toBe('Create your account');
    expect(words(await visitor.submit(page, ANN))).toContain('Signed in as Ann Lee, NP');
  });

  test.each(['create login', 'login create', 'consent create'])(
    'wins the first page with prompt=%s',
    async (prompt) => {
      expect(heading(await create(new Visitor(provider), { prompt }))).toBe('Create your account');
    },
  );

  test('with login, a new account is login enough', async () => {
    const visitor = new Visitor(provider);
    const consent = await visitor.submit(await create(visitor, { prompt: 'create login' }), ANN);
    expect(heading(consent)).toBe('Your application asks for your approval');
  });

  test('who has an account signs in instead', async () => {
    const visitor = new Visitor(provider);
    const login = await visitor.get(linkTo(await create(visitor), 'Sign in'));
    expect(heading(login)).toBe('Sign in');
    expect(heading(await visitor.signIn(login, 'verified'))).toBe('Your application asks for your approval');
  });

  test('who has none finds it from the login page, and the password works ever after', async () => {
    const visitor = new Visitor(provider);
    const login = await visitor.get(authorizePath(provider));
    await visitor.submit(await visitor.get(linkTo(login, 'Create an account')), ANN);
    const elsewhere = new Visitor(provider);
    const consent = await elsewhere.submit(await elsewhere.get(authorizePath(provider)), {
      username: 'ann.lee@clinic.example',
      password: ANN.password,
    });
    expect(words(consent)).toContain('Signed in as Ann Lee, NP');
  });

  test('provider.signIn() signs in on the way, with an account that there is', async () => {
    const url = `${provider.issuer}${authorizePath(provider, { prompt: 'create' })}`;
    expect(await provider.signIn(url, { as: 'verified' })).toMatch(/[?&]code=/);
  });

  test('reset() forgets the account', async () => {
    const visitor = new Visitor(provider);
    await visitor.submit(await create(visitor), ANN);
    provider.reset();
    expect(provider.clinicians.names()).not.toContain('ann.lee@clinic.example');
  });
});

describe('what is wrong with a form is said with the field (decision 31)', () => {
  const wrong = [
    ['firstName', '', 'Please give your first name.'],
    ['lastName', ' ', 'Please give your last name.'],
    ['lastName', 'x'.repeat(61), 'This is too long: 60 characters are the most.'],
    ['npi', '', 'Please give your NPI.'],
    ['npi', '123456789', 'An NPI has ten digits, and the first is 1 or 2.'],
    ['npi', '3000000000', 'An NPI has ten digits, and the first is 1 or 2.'],
    ['npi', '1000000005', 'This NPI has a typing error in it: its last digit does not fit the others.'],
    ['npi', '0100000000', 'An NPI has ten digits, and the first is 1 or 2.'],
    ['credentials', 'Wizard', 'Please choose your credentials from the list.'],
    ['specialty', '', 'Please give your specialty.'],
    ['email', '', 'Please give your e-mail address.'],
    ['email', 'ann@@clinic.example', 'An e-mail address looks like name@clinic.example.'],
    ['email', 'ann\uFF20clinic.example', 'An e-mail address looks like name@clinic.example.'],
    ['email', '\u212Aate@clinic.example', 'An e-mail address looks like name@clinic.example.'],
    ['password', 'seven77', 'A password has at least 8 characters.'],
  ] as const;

  test.each(wrong)('%s = %j', async (field, value, problem) => {
    const visitor = new Visitor(provider);
    const again = await visitor.submit(await create(visitor), { ...ANN, [field]: value });
    expect(again.status).toBe(400);
    expect(again.text).toContain(`<p class="problem" id="${field}-problem">${problem}</p>`);
    expect(again.text).toMatch(
      new RegExp(`id="${field}"[^>]*aria-describedby="[^"]*${field}-problem"[^>]*aria-invalid="true"`),
    );
    expect(again.text).toContain(`<div class="alert" role="alert" tabindex="-1" autofocus>`);
    expect(again.text).toContain(`<a href="#${field}">${problem}</a>`);
    expect(again.text).not.toContain(ANN.password);
    expect(provider.clinicians.names()).toHaveLength(5);
    const good = await visitor.submit(again, ANN);
    expect(heading(good)).toBe('Your application asks for your approval');
  });

  test('an address that has an account, in whatever letters', async () => {
    const first = new Visitor(provider);
    await first.submit(await create(first), ANN);
    const second = new Visitor(provider);
    const again = await second.submit(await create(second), { ...ANN, email: 'ANN.LEE@clinic.example' });
    expect(again.status).toBe(400);
    expect(words(again)).toContain('There is an account with this e-mail address: sign in instead.');
  });

  test('an NPI may be written with spaces and hyphens', async () => {
    const visitor = new Visitor(provider);
    const consent = await visitor.submit(await create(visitor), { ...ANN, npi: '1000-000 004' });
    expect(words(consent)).toContain('Signed in as Ann Lee, NP');
  });

  test('decision 39: a form of account creation is good once', async () => {
    const visitor = new Visitor(provider);
    const page = await create(visitor);
    await visitor.submit(page, ANN);
    const { action, hidden } = formOf(page);
    const again = await visitor.post(action, { ...hidden, ...ANN, email: 'other@clinic.example' });
    expect(again.status).toBe(403);
    expect(provider.clinicians.names()).toHaveLength(6);
  });
});

describe('verification', () => {
  let slow: MockProvider;
  beforeAll(async () => {
    slow = await startMockProvider({ verification: 'queued', lifetimes: { session: '10 days' } });
  });
  afterEach(() => slow.reset());
  afterAll(() => slow.stop());

  test('in the queue the person sees where they stand, goes on unverified, and is verified after three days', async () => {
    slow.clinicians.update('pending', { verified: true });
    const visitor = new Visitor(slow);
    const waiting = await visitor.submit(await create(visitor, {}, slow), ANN);
    expect(heading(waiting)).toBe('We are checking your details');
    expect(words(waiting)).toMatch(/You are next in the queue\. It takes 3 days more at the most\./);
    const consent = await visitor.submit(waiting, {});
    expect(heading(consent)).toBe('Your application asks for your approval');
    expect(slow.clinicians.get('ann.lee@clinic.example').verified).toBe(false);
    slow.clock.advance('2 days');
    expect(slow.clinicians.get('ann.lee@clinic.example').verified).toBe(false);
    slow.clock.advance('1 day');
    expect(slow.clinicians.get('ann.lee@clinic.example').verified).toBe(true);
  });

  test('they can look again at any time, and hear how long it still takes and who is before them', async () => {
    const visitor = new Visitor(slow);
    const waiting = await visitor.submit(await create(visitor, {}, slow), ANN);
    expect(words(waiting)).toContain('One person is before you in the queue.'); // the persona pending
    slow.clock.advance('45.5 hours');
    expect(words(await visitor.get('/oauth/verification'))).toContain('It takes 1 day and 3 hours more at the most.');
    slow.clock.advance('26 hours');
    expect(words(await visitor.get('/oauth/verification'))).toContain('It takes 30 minutes more at the most.');
  });

  test('who is verified meanwhile reads so, and goes on', async () => {
    const visitor = new Visitor(slow);
    const waiting = await visitor.submit(await create(visitor, {}, slow), ANN);
    slow.clinicians.update('ann.lee@clinic.example', { verified: true });
    expect(heading(await visitor.get('/oauth/verification'))).toBe('You are verified');
    expect(heading(await visitor.get(linkTo(waiting, 'Look again')))).toBe('Your application asks for your approval');
  });

  test('with type=verify somebody who waits already is told; with type=login not', async () => {
    const verify = new Visitor(provider);
    const landing = await verify.get(authorizePath(provider, { type: 'verify' }));
    const waiting = await verify.signIn(landing, 'pending');
    expect(heading(waiting)).toBe('We are checking your details');
    expect(heading(await verify.submit(waiting, {}))).toBe('Your application asks for your approval');
    const login = new Visitor(provider);
    const consent = await login.signIn(await login.get(authorizePath(provider)), 'pending');
    expect(heading(consent)).toBe('Your application asks for your approval');
  });

  test('decision 29: with prompt=none the queue is no reason to show anything', async () => {
    const url = (more: Record<string, string>) => provider.issuer + authorizePath(provider, more);
    await provider.signIn(url({}), { as: 'pending' });
    expect(await provider.signIn(url({ prompt: 'none', type: 'verify' }), { as: 'pending' })).toMatch(/[?&]code=/);
  });

  test('who is not signed in signs in first, and comes back', async () => {
    const visitor = new Visitor(provider);
    const login = await visitor.follow(await visitor.get('/oauth/verification'));
    expect(heading(login)).toBe('Sign in');
    expect(heading(await visitor.signIn(login, 'pending'))).toBe('We are checking your details');
  });

  test('a misspelled policy stops the start with a sentence', async () => {
    await expect(startMockProvider({ verification: 'slow' as 'queued' })).rejects.toThrow(
      "verification must be 'instant' or 'queued'.",
    );
  });
});
