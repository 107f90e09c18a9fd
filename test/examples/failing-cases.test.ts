import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Express } from 'express';
import { signIn, signOut } from 'passport-clinician/testing';
import request, { type Response } from 'supertest';
import type { MockProvider } from '../../lib/mock-provider/mock-provider.js';
import { root } from '../architecture/imports.js';
import { provider } from '../helpers/provider.js';
import '../integration/capture-output.js';

type Agent = ReturnType<typeof request.agent>;
type Statements = (
  agent: Agent,
  service: MockProvider,
  sign: typeof signIn,
  out?: typeof signOut,
) => Promise<Response | undefined>;

/** Runs the statements of a row, of which the last one may return a response. */
function compile(code: string): Statements {
  const [last = '', ...others] = code.split('; ').reverse();
  const body = [...others.reverse(), `return ${last}`].join('; ');
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
  return new AsyncFunction('agent', 'provider', 'signIn', 'signOut', body) as unknown as Statements;
}

const [, section = ''] = readFileSync(join(root, 'docs/test/testing.md'), 'utf8').split('\n## Failing cases\n');
const [atSignIn = '', signedIn = ''] = section.split('\n## ', 1).join('').split('| signed in as `verified` |');

/** @returns the rows of a table: the case, its code, the status, the code of the error, and the rest */
const rowsOf = (table: string) =>
  [...table.matchAll(/^\| ([^|]+) \| `([^`]+)`[^|]* \| (\d{3})(?: `(\w+)`)?(.*) \|$/gm)].map(
    ([, title = '', statements = '', status, code, rest = '']) => ({ title, statements, status, code, rest }),
  );

/** @returns a browser at the site of the page */
async function open(): Promise<Agent> {
  const file = './node-test/site.js';
  const { site } = (await import(file)) as { site(service: MockProvider): Express };
  return request.agent(site(provider));
}

test('the page has both tables', () => {
  expect(section.match(/^\| (?!---|[^|]*\|---)/gm)).toHaveLength(rowsOf(section).length + 2);
});

test.each(rowsOf(atSignIn))('$title', async ({ statements, status, code }) => {
  const agent = await open();
  const response = await compile(statements)(agent, provider, signIn);
  expect([String(response?.status), response?.body.code]).toEqual([status, code]);
  await agent.get('/notes').expect(401);
  provider.faults.clear();
  provider.clock.advance('5 minutes'); // as long as keys are cached
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/notes').expect(200);
});

test.each(rowsOf(signedIn))('signed in: $title', async ({ statements, status, code, rest }) => {
  const agent = await open();
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/notes').expect(200);
  await compile(statements)(agent, provider, signIn, signOut);
  const response = await agent.get('/notes');
  expect([String(response.status), response.body.code]).toEqual([status, code]);
  if (rest.includes('`Retry-After`')) {
    expect(Number(response.headers['retry-after'])).toBeCloseTo(3600, -1);
    provider.clock.advance('61 minutes');
    await agent.get('/notes').expect(200);
  } else expect(response.headers).not.toHaveProperty('retry-after');
  if (rest.includes('the login ends')) await agent.get('/notes').expect(401);
  if (code === 'verification_pending') {
    provider.clock.advance('3 days');
    await signIn(agent, provider, { as: 'pending' });
    await agent.get('/notes').expect(200);
  }
});
