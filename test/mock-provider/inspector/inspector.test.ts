import { afterEach, describe, expect, jest, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { provider } from '../../helpers/provider.js';
import { authorizeURL, codeOf, redeem, send, sendRaw, tokensOf } from '../wire.js';
import { callOperation } from './operations.js';

afterEach(() => void jest.restoreAllMocks());

const state = async (selection: Record<string, string> = {}) =>
  (await send(provider, `/_mock/inspector/state.json?${new URLSearchParams(selection)}`)).json;

describe('the page', () => {
  test('is at / with a policy that allows only its own files', async () => {
    const page = await send(provider, '/');
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(page.text).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=| style=/);
    const files = [...page.text.matchAll(/(?:src|href)="(\/_mock[^"]+)"/g)].map(([, file]) => file ?? '');
    expect(files).toContain('/_mock/inspector/inspector.js');
    for (const file of files) {
      expect([file, (await send(provider, file)).status]).toEqual([file, 200]);
    }
  });

  test('is only at /_mock/inspector where a site shares the server', async () => {
    const site = express().use(provider.app);
    site.get('/', (_req, res) => void res.send('the site'));
    expect((await request(site).get('/')).text).toBe('the site');
    const page = await request(site).get('/_mock/inspector');
    expect(page.text).toContain('src="/_mock/inspector/inspector.js"');
    expect((await request(site).get('/_mock/inspector/inspector.js')).status).toBe(200);
  });

  test('is not recorded, and no fault is applied to it', async () => {
    provider.faults.always('serverError', { endpoint: '/oauth/token' });
    expect((await send(provider, '/')).status).toBe(200);
    expect((await send(provider, '/_mock/inspector/state.json')).status).toBe(200);
    expect(provider.requests).toHaveLength(0);
  });
});

describe('requests from outside', () => {
  test('from other machines get the 404 of the service', async () => {
    const { host } = new URL(provider.issuer);
    const respond = (remoteAddress: string, url: string) =>
      new Promise<number>((resolve) => {
        const res = { writeHead: resolve, end: () => undefined, destroyed: false, headersSent: false };
        provider.app({ method: 'GET', url, headers: { host }, socket: { remoteAddress } } as never, res as never);
      });
    for (const path of ['/', '/_mock/inspector', '/_mock/inspector/state.json', '/_mock/inspector/operations/reset']) {
      expect([path, await respond('203.0.113.9', path)]).toEqual([path, 404]);
    }
    expect(await respond('::ffff:127.0.0.1', '/')).toBe(200);
  });

  test.each(['/', '/_mock/inspector/state.json'])('under another host name are refused: %s', async (path) => {
    const { status, text } = await sendRaw(provider, { path, headers: { host: `other.example` } });
    expect([status, text.includes(provider.issuer)]).toEqual([403, true]);
    expect(text).not.toContain('inspector-token');
  });

  test('from a page of another origin read no state, but its links open the page', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await sendRaw(provider, { path: '/_mock/inspector/state.json', headers })).status).toBe(403);
    expect((await sendRaw(provider, { path: '/', headers })).status).toBe(200);
  });

  test('call only the operations of the buttons, by POST with JSON', async () => {
    expect((await callOperation(provider, 'clients', { flow: 'openid', redirectURIs: [] })).status).toBe(404);
    expect((await callOperation(provider, 'reset', {}, { 'x-inspector-token': '' })).text).toContain('reload it');
    const allowed = async (path: string, method: string) => {
      const { status, headers } = await send(provider, path, { method });
      return [status, headers.get('allow')];
    };
    expect(await allowed('/_mock/inspector/operations/reset', 'GET')).toEqual([405, 'POST']);
    expect(await allowed('/_mock/inspector/operations/faults', 'PUT')).toEqual([405, 'POST, DELETE']);
    expect(await allowed('/', 'POST')).toEqual([405, 'GET, HEAD']);
    expect((await callOperation(provider, 'clock', { advance: '1 day' })).status).toBe(200);
    expect(provider.clock.now() - Date.now()).toBeGreaterThan(80_000_000);
  });
});

describe('the state', () => {
  test('shows logins that wait for the user, are in progress, stopped, denied and signed in', async () => {
    const { openid } = provider.clients;
    const newest = async () => (await state()).logins[0].status;
    provider.clock.freeze();
    await send(provider, authorizeURL(provider, openid).slice(provider.issuer.length));
    expect(await newest()).toMatchObject({ tone: 'wait', title: 'Waiting for the user' });
    await codeOf(provider, openid, { state: 'one' });
    expect(await newest()).toMatchObject({ tone: 'wait', title: 'In progress' });
    provider.clock.advance('10 seconds');
    expect(await newest()).toMatchObject({ tone: 'bad', title: 'The site did not continue' });
    expect((await newest()).text.join(' ')).toContain('127.0.0.1 and localhost are two hosts');
    await provider.signIn(authorizeURL(provider, openid, { prompt: 'consent' }), { as: 'verified', deny: true });
    expect(await newest()).toMatchObject({ tone: 'wait', title: 'Denied' });
    await tokensOf(provider, openid, { state: 'two' });
    expect(await newest()).toMatchObject({ tone: 'good', title: 'Signed in' });
  });

  test('shows a fault that stops a sign-in, faults that do not, and an abandoned page', async () => {
    const { openid } = provider.clients;
    const newest = async () => (await state()).logins[0].status;
    provider.faults.next('authorizationError');
    await provider.signIn(authorizeURL(provider, openid), { as: 'verified' });
    expect(await newest()).toMatchObject({ tone: 'fault', title: 'Stopped by a fault' });
    provider.faults.next('badSignature');
    await tokensOf(provider, openid);
    expect(await newest()).toMatchObject({ tone: 'fault', title: 'Completed with a fault' });
    const { fault } = (await state()).opened.exchanges.at(-1);
    expect(fault).toMatchObject({ name: 'badSignature', description: expect.stringMatching(/\w+ \w+/) });
    provider.faults.next('badSignature');
    provider.faults.next('delay', { delay: 1 });
    await tokensOf(provider, openid, { state: 'one' });
    expect((await newest()).text[0]).toMatch(/The fault \w+, \w+ was applied to POST \/oauth\/token\. .+\. .+\./);
    await send(provider, authorizeURL(provider, openid, { state: 'two' }).slice(provider.issuer.length));
    provider.clock.advance('2 hours');
    expect(await newest()).toMatchObject({ tone: 'wait', title: 'Abandoned' });
  });

  test('has the findings of the report about the opened requests, except those that repeat a refusal', async () => {
    const { openid } = provider.clients;
    await redeem(provider, openid, await codeOf(provider, openid), { code_verifier: undefined });
    await tokensOf(provider, openid, { state: '0123456789abcdefghijklmnopqrstuv' });
    const rulesOf = async (open: string) =>
      (await state({ open })).opened.findings.map(({ rule }: { rule: string }) => rule);
    expect(await rulesOf('login-1')).toEqual(expect.arrayContaining(['state-too-short', 'nonce-missing']));
    expect(await rulesOf('login-1')).not.toContain('request-refused');
    expect(await rulesOf('login-2')).not.toContain('state-too-short');
  });

  test('responds with 304 while nothing changes', async () => {
    // The view has the rounded difference of two clocks, which are read one after the other.
    jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const first = await send(provider, '/_mock/inspector/state.json');
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect((await send(provider, '/_mock/inspector/state.json', { headers })).status).toBe(304);
    provider.faults.next('badSignature');
    expect((await send(provider, '/_mock/inspector/state.json', { headers })).status).toBe(200);
  });
});
