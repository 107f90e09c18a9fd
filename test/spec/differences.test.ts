import { describe, expect, test } from '@jest/globals';
import { SERVICE_RULES } from '../../lib/mock-provider/protocol/rules.js';
import { DIFFERENCE_RULES } from '../../lib/mock-provider/recording/rules/difference-rules.js';
import { membersOf } from '../helpers/interface-docs.js';
import { referenceProblem } from '../helpers/test-names.js';
import { DIFFERENCES } from './differences.js';
import { STATEMENTS } from './statements.js';

const all = DIFFERENCES.flatMap(([, differences]) => differences);
const optionsOf = (folder: string, name: string) =>
  membersOf(`lib/mock-provider/options/${folder}.ts`, name).map((member) => member.name);

/** The options that set a value which the operator or the developer of the service sets too. */
const WITHOUT_DIFFERENCE = [
  ...['port', 'clients', 'clinicians'],
  ...['clientID', 'clientSecret', 'flow', 'redirectURIs', 'postLogoutRedirectURIs', 'name'],
];

/** The rules of an RFC for what the service specification does not mention. */
const RFC_RULES = [
  ...['options-lists-methods', 'cors-none-elsewhere', 'error-description-characters', 'constant-time-comparison'],
  ...['redirect-status', 'redirect-retains-query', 'cookie-attributes', 'authorization-request-well-formed'],
  ...['client-id-sent-once', 'redirect-uri-sent-once', 'id-token-response-needs-openid', 'max-age-integer'],
  ...['wrong-password-shows-form-again', 'form-body-well-formed', 'token-checks-in-order'],
  ...['refreshed-id-token-without-nonce', 'logout-client-id-matches', 'logout-hint-user', 'logout-ends-silent-login'],
  ...['userinfo-token-required'],
];

describe('the list of intended differences', () => {
  test('has sentences, and tests that exist', () => {
    const isSentence = (text: string) => /^\S.*[^.]\.$/.test(text) && text.split(' ').length <= 30;
    expect(all.filter(({ mock, why }) => !isSentence(mock) || !isSentence(why)).map(({ mock }) => mock)).toEqual([]);
    const problems = all.map(({ mock, test: reference }) => [mock, reference && referenceProblem(reference)]);
    expect(problems.filter(([, problem]) => problem !== undefined)).toEqual([]);
  });

  test('has each option of the mock provider that makes a difference', () => {
    const named = new Set(
      all.flatMap(({ enabledBy = [], changedBy = [] }) =>
        [...enabledBy, ...changedBy].map((name) => name.split('.')[0]),
      ),
    );
    const options = [
      ...optionsOf('provider-options', 'MockProviderOptions'),
      ...optionsOf('client-registration', 'ClientRegistration'),
    ];
    expect(options.length).toBeGreaterThan(20);
    expect(options.filter((name) => !named.has(name) && !WITHOUT_DIFFERENCE.includes(name))).toEqual([]);
    expect([...named].filter((name) => !options.includes(name as string))).toEqual([]);
  });

  test('has each option of the rate limit', () => {
    const named = all.flatMap(({ enabledBy = [], changedBy = [] }) => [...enabledBy, ...changedBy]);
    expect(
      optionsOf('provider-options', 'RateLimitOptions').filter((name) => !named.includes(`rateLimit.${name}`)),
    ).toEqual([]);
  });

  test('has each rule that is optional or defined by this mock only', () => {
    const named = new Set<string>(all.flatMap(({ rules = [] }) => rules));
    const own = Object.entries(SERVICE_RULES).filter(
      ([id, { source }]) => id.endsWith('-optional') || source === 'this mock',
    );
    expect(own.length).toBeGreaterThan(5);
    expect(own.map(([id]) => id).filter((id) => !named.has(id))).toEqual([]);
  });

  test('has each rule of the report that warns of a difference, and only rules that exist', () => {
    const named = new Set(all.flatMap(({ rules = [] }) => rules));
    const warnings = DIFFERENCE_RULES.map(({ id }) => id);
    expect(warnings.filter((id) => !named.has(id))).toEqual([]);
    expect([...named].filter((id) => !(id in SERVICE_RULES) && !warnings.includes(id))).toEqual([]);
  });

  test('has each rule that no statement of the specification has, except those of an RFC where the specification is silent', () => {
    const named = new Set<string>([
      ...all.flatMap(({ rules = [] }) => rules),
      ...STATEMENTS.flatMap(([, statements]) => Object.values(statements)).flatMap(({ rules = [] }) => rules),
    ]);
    const unnamed = Object.keys(SERVICE_RULES).filter((id) => !named.has(id) && !RFC_RULES.includes(id));
    expect(unnamed.map((id) => `${id} is in no statement: add a difference`)).toEqual([]);
    expect(RFC_RULES.filter((id) => named.has(id) || !(id in SERVICE_RULES))).toEqual([]);
  });
});
