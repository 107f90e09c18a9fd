import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { PolicyCheck } from '../../lib/express/policy-check.js';
import { type ClinicianEvent, clinicianLogin } from '../../lib/index.js';
import { startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { loginOptions, sealingSecret } from '../integration/site.js';

const SITE = 'https://site.example';
const SHARE = 'https://share.service.example';
type Need = Parameters<PolicyCheck['need']>;

/** @returns the directives that are reported, when a policy is checked twice. */
function reportedOf(policy: string | string[], ...needs: Need[]): unknown[] {
  const reported: unknown[] = [];
  const emit = (_name: string, details: object) => reported.push(Object.values(details).join(' '));
  const policyCheck = new PolicyCheck(SITE, { report: emit as never });
  for (let count = 0; count < 2; count += 1) {
    for (const one of needs) policyCheck.need(...one);
    policyCheck.check({ getHeader: () => policy } as unknown as ServerResponse);
  }
  return reported;
}

const FRAME: Need = ['frame-src'];
const SCRIPT: Need = ['script-src'];

test.each<[string | string[], Need, string[]]>([
  ["default-src 'self'", FRAME, []],
  ["default-src 'none'", FRAME, ["frame-src 'self'"]],
  ["default-src 'none'; child-src 'self'", FRAME, []],
  ["default-src 'self'; frame-src https://other.example", FRAME, ["frame-src 'self'"]],
  [["default-src 'self'", "frame-src 'none'"], FRAME, ["frame-src 'self'"]],
  ["default-src 'self', frame-src 'none'", FRAME, ["frame-src 'self'"]],
  ["script-src 'nonce-abc'", SCRIPT, []],
  ['script-src https:', SCRIPT, []],
  ['SCRIPT-SRC *.example', SCRIPT, []],
  ['script-src site.example:443', SCRIPT, ["script-src 'self'"]],
  ["script-src 'nonce-abc' 'self'", ['script-src', SHARE], [`script-src ${SHARE}`]],
  [`script-src 'self' ${SHARE}/share.js`, ['script-src', SHARE], []],
  ["default-src 'none'", ['form-action'], []],
  ["form-action 'none'", ['form-action'], ["form-action 'self'"]],
])('under the policy %j, the need for %j is reported once, where it is blocked', (policy, need, expected) => {
  expect(reportedOf(policy, need)).toEqual(expected);
});

test('a site reports what its policy blocks of the parts that it uses, at a route of the drop-in', async () => {
  const provider = await startMockProvider();
  const events: ClinicianEvent[] = [];
  const clinician = clinicianLogin({
    ...loginOptions(provider),
    onEvent: (event) => events.push(event),
    shareScriptURL: provider.shareScriptURL,
  });
  const app = express();
  app.use((_req, res, next) => {
    res.setHeader('Content-Security-Policy', "default-src 'self'; form-action 'none'; frame-src 'none'");
    next();
  });
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }), clinician);
  const visit = () => supertest(app).get('/auth/login').expect(302);
  await visit();
  for (const part of [clinician.signOutButton(), clinician.sessionCheckFrame(), clinician.shareButton({})])
    expect(part).not.toBe('');
  await visit();
  await visit();
  const reported = events.filter(({ name }) => name === 'policy_blocks').map(({ directive }) => directive);
  expect(reported).toEqual(['form-action', 'frame-src', 'script-src']);
  expect(clinicianLogin(loginOptions(provider)).helmet().contentSecurityPolicy.directives).toHaveProperty(
    'form-action',
  );
  await provider.stop();
});
