import { describe, expect, test } from '@jest/globals';
import { clientRegistration } from '../../lib/mock-provider/options/client-registration.js';
import { clinicianOptions } from '../../lib/mock-provider/options/clinician-options.js';
import { mockProviderOptions } from '../../lib/mock-provider/options/provider-options.js';
import { relyingPartyOptions } from '../../lib/options/options.js';
import { expectGenerated, membersOf } from '../documents.js';
import { optionsDocument } from './options-document.js';

test('docs/reference/options.md is generated from the interfaces', () => {
  expectGenerated('docs/reference/options.md', optionsDocument(), 'npm run docs:options');
});

describe('each default in a schema is the default in the documentation', () => {
  type Defaults = Readonly<Record<string, { readonly default?: unknown }>>;
  const { members: mock = {} } = mockProviderOptions;

  test.each<[string, string, Defaults]>([
    ['MockProviderOptions', 'lib/mock-provider/options/provider-options.ts', mock],
    ['LifetimeOptions', 'lib/mock-provider/options/provider-options.ts', mock.lifetimes?.members ?? {}],
    ['RateLimitOptions', 'lib/mock-provider/options/provider-options.ts', mock.rateLimit?.members ?? {}],
    ['ClientRegistration', 'lib/mock-provider/options/client-registration.ts', clientRegistration.members ?? {}],
    ['ClinicianOptions', 'lib/mock-provider/options/clinician-options.ts', clinicianOptions.members ?? {}],
    ['RelyingPartyOptions', 'lib/options/options.ts', relyingPartyOptions],
  ])('%s', (name, file, rules) => {
    const members = membersOf(file, name).filter((member) =>
      ['string', 'number', 'boolean'].includes(typeof rules[member.name]?.default),
    );
    const differing = members.flatMap((member) => {
      const value = rules[member.name]?.default;
      const expected = typeof value === 'string' ? `'${value}'` : String(value);
      const isSame = member.default?.replaceAll(/(?<=\d)_(?=\d)/g, '').startsWith(expected);
      return isSame ? [] : [`${file}: @default of ${member.name} must be ${expected}`];
    });
    expect(differing).toEqual([]);
  });
});
