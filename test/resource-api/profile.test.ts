import { describe, expect, test } from '@jest/globals';
import { parseProfile } from '../../lib/resource-api/profile.js';

const malformed = expect.objectContaining({ code: 'response_malformed', status: 502, remedy: 'investigate' });

const WIRE = {
  id: 40123456789,
  npi: 1234567893,
  firstname: 'Ren\u00e9e',
  middlename: 'Q',
  lastname: "O'Hara",
  maiden_name: 'Smith',
  full_name: "Ren\u00e9e O'Hara, MD",
  gender: 'F',
  state: 'CA',
  lat: 37.77,
  lon: -122.42,
  city: 'San Francisco',
  zip: '01234',
  address_1: '1 Main St',
  address_2: null,
  phone: '555-0100',
  fax: null,
  additional_locations: [
    {
      address_1: '2 Side St',
      address_2: null,
      city: 'Oakland',
      state: 'CA',
      phone: '555-0101',
      fax: null,
      zip: '94601',
    },
  ],
  credentials: 'MD',
  specialty: 'Cardiology',
  specialty_details: { abbr: 'CARD', code: 'C1', credential_id: 7, name: 'Cardiology', id: '00A' },
  hospitals: [{ name: 'General', aha_id: '0093' }],
  subspecialties: ['Heart failure'],
  medical_school: 'Somewhere',
  residencies: ['General'],
  profile_photo: 'https://photos.example/1.jpg',
  colleague_count: 12,
  verified: true,
  description: 'A person',
  email: 'renee@example.test',
};

const parse = (wire: object, apiURL?: string) => parseProfile(JSON.stringify(wire), apiURL);

describe('a profile', () => {
  /** The names of the package that another case does not give. */
  const RENAMED: Record<string, string> = {
    ...{ firstname: 'firstName', middlename: 'middleName', lastname: 'lastName', address_1: 'address1' },
    ...{ address_2: 'address2', credential_id: 'credentialID', aha_id: 'ahaID' },
  };
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed);
    if (typeof value !== 'object' || value === null) return value;
    const nameOf = (name: string) =>
      RENAMED[name] ?? name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [nameOf(name), renamed(part)]));
  };

  test('is parsed in full, with the members as sent in raw', () => {
    expect(parse(WIRE)).toEqual({ ...(renamed(WIRE) as object), id: '40123456789', raw: WIRE });
  });

  test('is parsed in both spellings; first_name takes precedence over firstname', () => {
    const listed = parse({ id: 1, first_name: 'A', middle_name: 'B', last_name: 'C' });
    expect(listed).toMatchObject({ firstName: 'A', middleName: 'B', lastName: 'C' });
    const sample = parse({ id: 1, firstname: 'A', middlename: 'B', lastname: 'C' });
    expect(sample).toMatchObject({ firstName: 'A', middleName: 'B', lastName: 'C' });
    expect(parse({ id: 1, firstname: 'sample', first_name: 'list' }).firstName).toBe('list');
  });

  test.each([
    ['null', { id: null }],
    ['zero', { id: 0 }],
    ['text', { id: '7' }],
    ['a fraction', { id: 1.5 }],
    ['not a safe integer', JSON.parse('{"id":90071992547409931}')],
    ['a member of __proto__', JSON.parse('{"__proto__":{"id":7}}')],
  ])('with an id that is %s is rejected', (_, wire) => {
    expect(() => parse(wire)).toThrow(malformed);
  });

  test.each([['true'], [1], [[true]], [null], [undefined]])('with verified: %p is not verified', (verified) => {
    expect(parse({ id: 7, verified }).verified).toBe(false);
  });

  test('is not verified by a prototype, and changes none', () => {
    const profile = parseProfile(
      '{"id":7,"__proto__":{"verified":true,"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"x":[{"__proto__":{"isAdmin":true}}]}',
    );
    expect(profile.verified).toBe(false);
    const copy = Object.assign({}, profile, profile.raw) as Record<string, unknown>;
    expect(copy.isAdmin).toBeUndefined();
    expect(Object.assign({}, (copy.x as object[])[0])).not.toHaveProperty('isAdmin');
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
    expect(JSON.stringify(profile)).not.toContain('isAdmin');
  });

  test('ignores members of a polluted Object.prototype', () => {
    const polluted = Object.prototype as unknown as Record<string, unknown>;
    Object.assign(polluted, { verified: true, first_name: 'Mallory' });
    try {
      expect(Object.entries(parse({ id: 7 }))).toEqual([
        ['id', '7'],
        ['verified', false],
        ['raw', { id: 7 }],
      ]);
    } finally {
      delete polluted.verified;
      delete polluted.first_name;
    }
  });

  test.each([
    'javascript:alert(1)',
    'data:image/svg+xml,<svg onload=alert(1)>',
    'http://photos.example/1.jpg',
    '//photos.example/1.jpg',
    7,
    null,
    ['https://photos.example/1.jpg'],
  ])('has no photo with the URL %p', (profile_photo) => {
    const profile = parse({ id: 7, profile_photo });
    expect(profile).not.toHaveProperty('profilePhoto');
    expect(profile.raw.profile_photo).toEqual(profile_photo);
  });

  test('has a photo on plain http only at the API itself', () => {
    const api = 'http://127.0.0.1:4400';
    const photoOf = (profile_photo: string) => parse({ id: 7, profile_photo }, `${api}/idp`).profilePhoto;
    expect(photoOf(`${api}/photo.svg`)).toBe(`${api}/photo.svg`);
    for (const url of ['http://127.0.0.1:4401/1', 'http://127.0.0.1:4400.evil.example/1', `blob:${api}/1`])
      expect(photoOf(url)).toBeUndefined();
  });

  test('omits members of a wrong type', () => {
    const wrong = {
      id: 7,
      npi: '1234567893',
      firstname: ['A'],
      lat: '37',
      lon: null,
      colleague_count: 1.5,
      hospitals: { name: 'x' },
      subspecialties: 'x',
      specialty_details: [],
      city: 7,
      email: { $ne: '' },
      full_name: null,
    };
    expect(parse(wrong)).toStrictEqual({ id: '7', verified: false, raw: wrong });
    const mixed = parse({
      id: 7,
      residencies: ['a', 1, null],
      hospitals: [null, 'x', { name: 'y', aha_id: 3 }],
    });
    expect(mixed).toMatchObject({ residencies: ['a'], hospitals: [{ name: 'y' }] });
  });
});
