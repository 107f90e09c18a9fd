import { describe, expect, test } from '@jest/globals';
import { provider } from '../../helpers/provider.js';
import { formOf, heading, linkTo, type PageResponse, textOf, unescapeHTML, Visitor } from '../visitor.js';

const NEW = '/inbox/conversations/new_message';
const newMessage = (visitor: Visitor, query: Record<string, string> = {}) =>
  visitor.get(`${NEW}?${new URLSearchParams(query)}`);

async function signedIn(username = 'verified'): Promise<Visitor> {
  const visitor = new Visitor(provider);
  await visitor.signIn(await visitor.get('/oauth/sign-in'), username);
  return visitor;
}

const fieldValue = ({ text }: PageResponse, name: string) =>
  unescapeHTML(new RegExp(`name="${name}"[^>]*value="([^"]*)"`).exec(text)?.[1] ?? '');
const messageOf = ({ text }: PageResponse) =>
  unescapeHTML(/<textarea[^>]*>\n([\s\S]*?)<\/textarea>/.exec(text)?.[1] ?? '');

describe('a new message', () => {
  const shared = {
    url: 'https://clinic.example/a?b=c&d=e',
    message: 'Two\nlines & "quotes"',
    subject: 'A <b>guideline</b>',
  };

  test('requires a sign-in, then has the shared values', async () => {
    const visitor = new Visitor(provider);
    const first = await newMessage(visitor, shared);
    expect(first.status).toBe(302);
    expect(first.location).toMatch(/^\/oauth\/sign-in\?return_to=/);
    const login = await visitor.follow(first);
    expect(heading(login)).toBe('Sign in');
    const page = await visitor.signIn(login, 'verified');
    expect(heading(page)).toBe('New message');
    expect(fieldValue(page, 'subject')).toBe(shared.subject);
    expect(messageOf(page)).toBe(shared.message);
    expect(linkTo(page, 'https://clinic.example/a\\?b=c&amp;d=e')).toBe(shared.url);
  });

  test.each([
    ['the shared values', `${NEW}?subject=a&subject=b`],
    ['the inbox', '/inbox/conversations?sent=yes&sent=yes'],
  ])('with a repeated parameter of %s is refused with a page, with and without a session', async (_name, path) => {
    for (const visitor of [new Visitor(provider), await signedIn()]) {
      const page = await visitor.get(path);
      expect([page.status, heading(page)]).toEqual([400, 'Invalid request']);
      expect(textOf(page)).toMatch(/was sent more than once.*Rule parameter-sent-once/);
    }
    expect(provider.problems).toHaveLength(2);
  });

  test('is in the inbox of both users and in provider.inbox', async () => {
    const visitor = await signedIn();
    const fields = { to: 'connected', subject: 'Look', message: 'At this' };
    const inbox = await visitor.submit(await newMessage(visitor, shared), fields);
    expect(heading(inbox)).toBe('Your inbox');
    expect(textOf(inbox)).toMatch(/Your message was sent\..*Look Sent to connected.*At this/);
    const other = await signedIn('connected');
    expect(textOf(await other.get('/inbox/conversations'))).toMatch(/Look From verified.*At this/);
    expect(textOf(await (await signedIn('minimal')).get('/inbox/conversations'))).toContain('No messages yet.');
    const created = { id: expect.any(String), at: expect.any(Number) };
    expect(provider.inbox.messages()).toEqual([{ ...created, from: 'verified', ...fields, url: shared.url }]);
    expect(provider.inbox.messages('connected')).toHaveLength(1);
    expect(provider.inbox.messages('minimal')).toEqual([]);
    provider.reset();
    expect(provider.inbox.messages()).toEqual([]);
  });

  test('is not sent by GET', async () => {
    const visitor = await signedIn();
    const { hidden } = formOf(await newMessage(visitor));
    const query = new URLSearchParams({ ...hidden, to: 'connected', subject: 'x', message: 'y' });
    await visitor.get(`/inbox/conversations?${query}`);
    await visitor.get(`${NEW}?${query}`);
    expect(provider.inbox.messages()).toEqual([]);
  });

  test('is not sent by a form that was not shown, shown to another user, or already submitted', async () => {
    const visitor = await signedIn();
    const fields = { to: 'connected', subject: 'x', message: 'y' };
    expect(await visitor.post('/inbox/conversations', fields)).toMatchObject({ status: 403 });
    const { action, hidden } = formOf(await newMessage(await signedIn('hostile')));
    expect(await visitor.post(action, { ...hidden, ...fields })).toMatchObject({ status: 403 });
    expect(await new Visitor(provider).post(action, { ...hidden, ...fields })).toMatchObject({ status: 403 });
    expect(provider.inbox.messages()).toEqual([]);
    const mine = formOf(await newMessage(visitor));
    expect(await visitor.post(mine.action, { ...mine.hidden, ...fields })).toMatchObject({ status: 303 });
    expect(await visitor.post(mine.action, { ...mine.hidden, ...fields })).toMatchObject({ status: 403 });
    expect(provider.inbox.messages()).toHaveLength(1);
  });

  test('cannot be sent after the sign-out, also not from another tab', async () => {
    const visitor = await signedIn();
    const { action, hidden } = formOf(await newMessage(visitor));
    await visitor.submit(await visitor.get('/oauth/sign-out'), {});
    expect(await visitor.get('/inbox/conversations')).toMatchObject({ status: 302 });
    const sent = await visitor.post(action, { ...hidden, to: 'a', subject: 'b', message: 'c' });
    expect(sent.status).toBe(403);
  });

  test.each([
    ['javascript:alert(1)'],
    ['data:text/html,<script>'],
    ['//evil.example'],
    [`https://clinic.example/${'x'.repeat(2000)}`],
  ])('drops the url %j', async (url) => {
    const page = await newMessage(await signedIn(), { url, subject: 'x' });
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('Shared with it');
    const links = [...page.text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, address = '']) => address);
    expect(
      links.filter((address) => !new URL(address, provider.issuer).href.startsWith(`${provider.issuer}/`)),
    ).toEqual([]);
  });

  test('has escaped and shortened values', async () => {
    const hostile = `"></textarea><script>alert(1)</script>`;
    const visitor = await signedIn();
    const values = { subject: hostile, message: hostile, url: `https://clinic.example/?${hostile}` };
    const page = await newMessage(visitor, values);
    expect(page.text).not.toContain('<script');
    expect([fieldValue(page, 'subject'), messageOf(page)]).toEqual([hostile, hostile]);
    const inbox = await visitor.submit(page, { to: hostile, subject: hostile, message: hostile });
    expect(inbox.text).not.toContain('<script');
    const long = await newMessage(visitor, { subject: 's'.repeat(900), message: 'm'.repeat(6000) });
    expect(fieldValue(long, 'subject')).toHaveLength(200);
    expect([...messageOf(long)]).toHaveLength(5000);
  });

  test('without values is not sent, and each field has its problem', async () => {
    const visitor = await signedIn();
    const again = await visitor.submit(await newMessage(visitor), { to: ' ', subject: '', message: '' });
    expect(again.status).toBe(400);
    expect(textOf(again)).toContain('Enter a recipient. Enter a subject. Enter a message.');
    expect(again.text).toMatch(/<textarea id="message"[^>]*aria-describedby="message-problem"/);
    expect(provider.inbox.messages()).toEqual([]);
  });
});

test.each(['https://evil.example/', '/\\evil.example', '/inbox/conversations/../../x', '/inbox/conversations\r\nx: y'])(
  'after the sign-in return_to=%j leads to the inbox',
  async (returnTo) => {
    const visitor = new Visitor(provider);
    const path = `/oauth/sign-in?${new URLSearchParams({ return_to: returnTo })}`;
    const { action, hidden } = formOf(await visitor.get(path));
    const done = await visitor.post(action, { ...hidden, username: 'verified', password: 'clinician' });
    expect([done.status, done.location]).toEqual([303, '/inbox/conversations']);
    expect((await visitor.get(path)).location).toBe('/inbox/conversations');
  },
);
