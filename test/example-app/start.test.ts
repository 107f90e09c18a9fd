import { describe, expect, test } from '@jest/globals';
import { freePort, testUsers } from '../helpers.js';
import { isBuilt, startProcess } from './site-process.js';

(isBuilt ? describe : describe.skip)('npm start', () => {
  test('prints the URL, the inspector, user names and password, and exits with code 0 on SIGINT', async () => {
    const port = await freePort();
    const site = startProcess({ PORT: String(port) });
    await site.printed('password');
    const { out } = site.output;
    const [url, inspector = '', ...others] = out.match(/http\S+/g) ?? [];
    expect([url, others]).toEqual([`http://127.0.0.1:${port}`, []]);
    expect(await (await fetch(inspector)).text()).toContain('<h1>Inspector</h1>');
    expect(out).toContain(testUsers);
    expect(out).toContain('the password clinician');

    const cookie = 'other-site=value; '.repeat(2000); // 36 kB, of sites on other ports
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { cookie } });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('Sign in as a clinician');
    site.child.kill('SIGINT');
    expect(await site.ended).toBe(0);
    expect(site.output.err).toBe('');
  });

  test('an invalid setting exits with code 1, a message and no stack trace', async () => {
    const site = startProcess({ PORT: 'http' });
    expect(await site.ended).toBe(1);
    expect(site.output).toEqual({ out: '', err: "PORT must be a number from 1 to 65535, got 'http'.\n" });
  });
});
