import { test } from '@jest/globals';
import { FAULTS, type FaultKind } from '../../lib/mock-provider/mock-provider.js';
import { RULE_SECTIONS } from '../../lib/mock-provider/protocol/rules.js';
import { cell, code, expectSection, table } from '../documents.js';

const DOCUMENT = 'docs/assurance/rules-and-faults.md';

const TITLES: Readonly<Record<FaultKind, string>> = {
  idToken: 'ID Token',
  tokenResponse: 'Token response',
  redirect: 'Authorization response',
  logout: 'Redirect after logout',
  document: 'Metadata and JWKS',
  userinfo: 'Userinfo',
  profile: 'Profile',
  failure: 'Failures: the request is not processed and uses no code or token',
  response: 'Responses: the request is processed and its response is changed',
};

const section = (title: string, what: string, rows: [string, string][]) =>
  `\n### ${title}\n\n${table(
    [what, 'description'],
    rows.map(([name, text]) => [code(name), cell(text)]),
  )}`;

test('the page has each rule', () => {
  const parts = RULE_SECTIONS.map(([title, rules]) =>
    section(
      title,
      'rule',
      Object.entries(rules).map(([id, { rule }]) => [id, rule]),
    ),
  );
  expectSection(DOCUMENT, 'rules', `${parts.join('')}\n`, 'npm run docs:rules');
});

test('the page has each fault', () => {
  const faults = Object.entries(FAULTS);
  const parts = Object.entries(TITLES).map(([kind, title]) => {
    const ofKind = faults.filter(([, fault]) => fault.kind === kind);
    return section(
      title,
      'fault',
      ofKind.map(([name, { description }]) => [name, description]),
    );
  });
  expectSection(DOCUMENT, 'faults', `${parts.join('')}\n`, 'npm run docs:rules');
});
