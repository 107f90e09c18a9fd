import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { RULE_SECTIONS, type RuleID, SERVICE_RULES } from '../../../lib/mock-provider/protocol/rules.js';
import { REPORT_RULES } from '../../../lib/mock-provider/recording/rules/rules.js';
import { root, sources } from '../../architecture/imports.js';

const ids = RULE_SECTIONS.flatMap(([, rules]) => Object.keys(rules)) as RuleID[];

/** The ids that the mock provider's sources name, outside the table and the report. */
const named = new Set(
  sources('lib/mock-provider')
    .filter((file) => !/\/(protocol\/rules|recording\/)/.test(file))
    .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/'([a-z0-9]+(?:-[a-z0-9]+)+)'/g)])
    .map(([, word]) => word),
);

describe('the table of rules', () => {
  test('has each id once, and no id of a rule of the report', () => {
    expect(ids.length).toBeGreaterThan(70);
    expect(ids).toEqual([...new Set(ids)]);
    expect(Object.keys(SERVICE_RULES)).toEqual(ids);
    expect(REPORT_RULES.map(({ id }) => id).filter((id) => id in SERVICE_RULES)).toEqual([]);
  });

  test('is enforced by the sources, and has a fix except for a denial by the user', () => {
    const unused = ids.filter((id) => !named.has(id));
    expect(unused.map((id) => `no Refusal of lib/mock-provider has the rule ${id}`)).toEqual([]);
    expect(ids.filter((id) => SERVICE_RULES[id].fix === undefined)).toEqual(['user-approval-required']);
  });
});
