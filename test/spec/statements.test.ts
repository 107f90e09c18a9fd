import { describe, expect, test } from '@jest/globals';
import { SERVICE_RULES } from '../../lib/mock-provider/protocol/rules.js';
import { REPORT_RULES } from '../../lib/mock-provider/recording/rules/rules.js';
import { referenceProblem } from '../helpers/test-names.js';
import { pathsOf, pathsProblem } from './paths.js';
import { SIDES, type Statement } from './statements/statement.js';
import { STATEMENTS } from './statements.js';

const all = STATEMENTS.flatMap(([, statements]) => Object.entries(statements));
const rules = new Set([...Object.keys(SERVICE_RULES), ...REPORT_RULES.map(({ id }) => id)]);

/** @returns a line for each problem of a statement, which names the statement. */
const problems = (check: (statement: Statement) => readonly string[]): string[] =>
  all.flatMap(([id, statement]) => check(statement).map((problem) => `statement ${id}: ${problem}`));

describe('a statement of the service specification', () => {
  test('has an id that no other one has', () => {
    const ids = all.map(([id]) => id);
    expect(ids.length).toBeGreaterThan(200);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.filter((id) => !/^[a-z0-9]+(-[a-z0-9]+)+$/.test(id))).toEqual([]);
  });

  test('is one sentence of at most 25 words', () => {
    const isSentence = (text: string) => /^\S.*[^.]\.$/.test(text) && text.split(' ').length <= 25;
    expect(problems(({ statement }) => (isSentence(statement) ? [] : [`is not a sentence: ${statement}`]))).toEqual([]);
  });

  test('has a rule, or the reason why there is none', () => {
    const lacks = ({ rules = [], reason }: Statement) => rules.length > 0 === (reason !== undefined);
    expect(problems((one) => (lacks(one) ? ['add its rules, or the reason why there is none'] : []))).toEqual([]);
  });

  test('names rules that exist', () => {
    const unknown = ({ rules: named = [] }: Statement) => named.filter((id) => !rules.has(id));
    expect(problems((one) => unknown(one).map((id) => `there is no rule ${id}`))).toEqual([]);
  });

  test('binds a side, whose test shows it, unless no software can check it', () => {
    const lacks = (one: Statement) => SIDES.every((side) => !one[side]) && !one.reason?.includes('no software can');
    expect(problems((one) => (lacks(one) ? ['add the test that shows it'] : []))).toEqual([]);
  });

  test('that binds the client has the paths that show it, on which its test runs', () => {
    const missing = ({ client }: Statement) => (client === undefined ? [] : (pathsProblem(client) ?? []));
    expect(problems((one) => [missing(one)].flat())).toEqual([]);
    const clients = all.flatMap(([, { client }]) => client ?? []);
    expect(clients.filter((reference) => Array.isArray(pathsOf(reference))).length).toBeGreaterThan(50);
  });

  test('names tests that exist', () => {
    const missing = (one: Statement) => SIDES.flatMap((side) => one[side] ?? []).map(referenceProblem);
    expect(problems((one) => missing(one).filter((problem) => problem !== undefined))).toEqual([]);
  });
});

test('a reference to a file, a test or a case that does not exist is a problem', () => {
  const file = 'mock-provider/endpoints/authorize';
  for (const name of ['PKCE code_challenge_method plain is refused', 'PKCE code_challenge_method %s is refused']) {
    expect(referenceProblem(`${file}: ${name}`)).toBeUndefined();
  }
  const path = `test/${file}.test.ts`;
  expect(referenceProblem('no-such-file: x')).toBe('test/no-such-file.test.ts does not exist');
  expect(referenceProblem(`${file}: PKCE x`)).toContain(`${path} has no test "PKCE x"`);
  expect(referenceProblem(`${file}: PKCE code_challenge_method s384 is refused`)).toContain('has no test');
});

test('a test of the client that runs on other paths than the table says is a problem', () => {
  expect(pathsProblem('integration/login-paths: a login by: x')).toBeUndefined();
  expect(pathsProblem('integration/guards: x')).toBeUndefined();
  expect(pathsProblem('authorization-server/refresh: x')).toBeUndefined();
  expect(pathsProblem('faults/outcomes: x')).toContain('test/spec/paths.ts has no paths for faults/outcomes: x');
  expect(pathsProblem('passport/guards: x', 'siteFor(provider)')).toContain('does not run on');
  expect(pathsProblem('authorization-server/x: x', 'siteFor(provider)')).toContain('does not run on');
});

describe('a rule whose source is the service specification', () => {
  const source = (id: string) =>
    /^service spec: (.*)/.exec(SERVICE_RULES[id as keyof typeof SERVICE_RULES].source)?.[1];
  const ids = Object.keys(SERVICE_RULES).filter((id) => source(id) !== undefined);

  test('names a part of the specification', () => {
    const parts = STATEMENTS.map(([part]) => part);
    expect(ids.filter((id) => !parts.includes(source(id) as string)).map((id) => `${id}: ${source(id)}`)).toEqual([]);
  });

  test('belongs to a statement', () => {
    const named = new Set(all.flatMap(([, statement]) => statement.rules ?? []));
    expect(ids.filter((id) => !named.has(id))).toEqual([]);
  });
});
