import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { profileSections } from '../../example-app/src/profile-view.js';
import { type ClinicianProfile, parseProfile } from '../../lib/resource-api/profile.js';
import { provider } from '../helpers/provider.js';
import * as wire from '../mock-provider/wire.js';
import { serviceDocument } from './service-openapi.js';
import { PROFILE_STATEMENTS } from './statements/profile.js';

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** @returns the fields in a schema: the names that lead to each value, where `0` is the first item of a list. */
function fieldsOf({ properties, items }: Schema): string[][] {
  if (items?.properties) return fieldsOf(items).map((field) => ['0', ...field]);
  if (!properties) return [[]];
  return Object.entries(properties).flatMap(([name, schema]) => fieldsOf(schema).map((field) => [name, ...field]));
}

/** @returns another value of the same type. */
function otherValue(value: unknown): unknown {
  if (Array.isArray(value)) return [...value, 'another'];
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : `${value}x`;
}

/** @returns a copy of a profile with another value of one field. */
function withOther(profile: object, field: readonly string[]): object {
  const copy = structuredClone(profile) as Record<string, unknown>;
  const parent = field.slice(0, -1).reduce((object, name) => object[name] as Record<string, unknown>, copy);
  const name = field.at(-1) as string;
  expect(parent).toHaveProperty(name);
  parent[name] = otherValue(parent[name]);
  return copy;
}

const VIEW = readFileSync(new URL('../../example-app/views/profile.eta', import.meta.url), 'utf8');
const SHOWN_BY_VIEW = [...VIEW.matchAll(/it\.profile\.(\w+)/g)].map(([, name]) => name as keyof ClinicianProfile);

/** What the reference site shows of a profile. */
const shown = (profile: ClinicianProfile) => [profileSections(profile), SHOWN_BY_VIEW.map((name) => profile[name])];

const { components } = serviceDocument() as { components: { schemas: Record<'Profile', Schema> } };
const FIELDS = fieldsOf(components.schemas.Profile);
const STATEMENTS = Object.entries(PROFILE_STATEMENTS)
  .filter(([id]) => id.startsWith('profile-'))
  .map(([, { statement }]) => statement);

let sent: object;

beforeAll(async () => {
  const { access_token } = await wire.tokensOf(provider, provider.clients.profile, {
    as: 'verified',
    scope: 'basic email',
  });
  sent = (await wire.profile(provider, access_token)).json as object;
});

describe('a new field of the profile is in the parser, the statements of the specification and the reference site:', () => {
  test.each(FIELDS.map((field) => [field.join('.'), field] as const))('%s', (_title, field) => {
    const name = new RegExp(`\\b${field.at(-1)}\\b`);
    expect(STATEMENTS.filter((statement) => name.test(statement))).not.toEqual([]);
    const [before, after] = [sent, withOther(sent, field)].map((profile) => ({ ...parseProfile(profile), raw: {} }));
    expect(after).not.toEqual(before);
    expect(shown(after as ClinicianProfile)).not.toEqual(shown(before as ClinicianProfile));
  });
});

test('the parser reads no field that the description of the service does not have', () => {
  const parser = readFileSync(new URL('../../lib/resource-api/profile.ts', import.meta.url), 'utf8');
  const calls = [...parser.matchAll(/\b(?:members|item)\.\w+\(([^)]*)/g)].map(([, names = '']) => names);
  const read = calls.flatMap((names) => [...names.matchAll(/'(\w+)'/g)].map(([, name]) => name));
  const listed = ['first_name', 'middle_name', 'last_name', 'maidenname', 'fullname'];
  const described = new Set([...FIELDS.flat(), ...listed]);
  expect(read.length).toBeGreaterThan(FIELDS.length / 2);
  expect(read.filter((name) => !described.has(name as string))).toEqual([]);
});
