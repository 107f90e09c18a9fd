import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { profileSections } from '../../example-app/src/profile-view.js';
import { type ClinicianProfile, parseProfile } from '../../lib/resource-api/profile.js';
import { provider } from '../helpers/provider.js';
import * as wire from '../mock-provider/wire.js';

/** @returns the fields of a value: the names that lead to each of its parts, where `0` is the first item of a list. */
function fieldsOf(value: unknown): string[][] {
  if (Array.isArray(value)) return typeof value[0] === 'object' ? fieldsOf({ 0: value[0] }) : [[]];
  if (typeof value !== 'object' || value === null) return [[]];
  return Object.entries(value).flatMap(([name, part]) => fieldsOf(part).map((field) => [name, ...field]));
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

let sent: object;

beforeAll(async () => {
  const { access_token } = await wire.tokensOf(provider, provider.clients.profile, {
    as: 'verified',
    scope: 'basic email',
  });
  sent = (await wire.profile(provider, access_token)).json as object;
});

test('each field of the profile is in the parser and on the page of the reference site', () => {
  const fields = fieldsOf(sent);
  expect(fields.length).toBeGreaterThan(20);
  for (const field of fields) {
    const [before, after] = [sent, withOther(sent, field)].map((profile) => ({
      ...parseProfile(JSON.stringify(profile), provider.apiURL),
      raw: {},
    }));
    expect([field, after]).not.toEqual([field, before]);
    expect(shown(after as ClinicianProfile)).not.toEqual(shown(before as ClinicianProfile));
  }
});
