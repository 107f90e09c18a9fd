import type { ClinicianOptions, ClinicianProfileFields } from './clinician-options.js';
import { npiFrom } from './npi.js';

const NUL = String.fromCharCode(0);
const RIGHT_TO_LEFT_OVERRIDE = '\u202E';

type Persona = Omit<ClinicianOptions, 'username'>;

/** The test users of every provider by user name, with the description for the documents. Each has the password `clinician`. */
export const PERSONA_DESCRIPTIONS = {
  verified: 'a verified clinician with a complete CV',
  pending: 'waits for verification; verified after three days by the clock',
  minimal: 'only a name; the other members are null, empty or absent',
  connected: 'has 1234 colleagues',
  hostile: 'every text tries to break the page that shows it',
} as const;

/** The username of a clinician: a test user, listed so that editors complete it, or a clinician that you have added. */
export type ClinicianName = keyof typeof PERSONA_DESCRIPTIONS | (string & Record<never, never>);

/** Has every member of a profile. */
const verified: Persona & Required<ClinicianProfileFields> = {
  email: 'vera.castellanos@clinic.example',
  npi: npiFrom(123456789),
  firstName: 'Vera',
  middleName: 'Ines',
  lastName: 'Castellanos',
  maidenName: 'Lindqvist',
  fullName: 'Vera Castellanos, MD',
  gender: 'F',
  state: 'CA',
  lat: 37.7659,
  lon: -122.4571,
  city: 'San Francisco',
  zip: '94117',
  address1: '1500 Parnassus Avenue',
  address2: 'Suite 320',
  phone: '415-555-0132',
  fax: '415-555-0133',
  additionalLocations: [
    {
      address1: '22 Harbor Way',
      address2: null,
      city: 'Sausalito',
      state: 'CA',
      phone: '415-555-0150',
      fax: null,
      zip: '94965',
    },
    {
      address1: '900 Valencia Avenue',
      address2: 'Floor 2',
      city: 'San Francisco',
      state: 'CA',
      phone: '415-555-0171',
      fax: '415-555-0172',
      zip: '94110',
    },
  ],
  credentials: 'MD',
  specialty: 'Internal Medicine',
  specialtyDetails: { abbr: 'IM', code: '207R00000X', credentialID: 4, name: 'Internal Medicine', id: '17' },
  hospitals: [
    { name: 'Bayview General Hospital', ahaID: '6930043' },
    { name: 'Saint Luke Medical Center', ahaID: '6930112' },
  ],
  subspecialties: ['Cardiovascular Disease', 'Geriatric Medicine'],
  medicalSchool: 'Pacific University School of Medicine',
  residencies: ['Bayview General Hospital', 'Lakeside Medical Center'],
  profilePhoto: '/oauth/photo.svg?of=vera-castellanos',
  colleagueCount: 3,
  description: 'Internist with an interest in the hearts of older people.',
};

const pending: Persona = {
  verifiedAfter: '3 days',
  email: 'peter.nakamura@clinic.example',
  npi: npiFrom(198765432),
  firstName: 'Peter',
  lastName: 'Nakamura',
  fullName: 'Peter Nakamura, DO',
  gender: 'M',
  state: 'OR',
  lat: 45.5202,
  lon: -122.6742,
  city: 'Portland',
  zip: '97205',
  address1: '12 Alder Lane',
  address2: null,
  phone: '503-555-0107',
  fax: null,
  credentials: 'DO',
  specialty: 'Family Medicine',
  profilePhoto: '/oauth/photo.svg?of=peter-nakamura',
  colleagueCount: 0,
};

const minimal: Persona = { firstName: 'Mo', lastName: 'Li', fullName: 'Mo Li' };

const connected: Persona = {
  email: 'carla.osei@clinic.example',
  npi: npiFrom(155500011),
  firstName: 'Carla',
  lastName: 'Osei',
  fullName: 'Carla Osei, MD, PhD',
  gender: 'F',
  state: 'MA',
  lat: 42.3365,
  lon: -71.095,
  city: 'Boston',
  zip: '02115',
  credentials: 'MD',
  specialty: 'Neurology',
  profilePhoto: '/oauth/photo.svg?of=carla-osei',
  colleagueCount: 1234,
};

/** Each text tries to break a page, a log line, a header or a parser. */
const hostile: Persona = {
  email: '"><script>alert(1)</script>"@clinic.example',
  npi: npiFrom(166600022),
  firstName: '<script>alert("first")</script>',
  middleName: `Nu${NUL}l`,
  lastName: `"'><img src=x onerror=alert(1)>`,
  maidenName: '__proto__',
  fullName: `${RIGHT_TO_LEFT_OVERRIDE}</script><svg onload=alert(1)>, MD`,
  gender: 'F',
  state: 'NY',
  lat: 40.7506,
  lon: -73.9972,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it must look like a template
  city: '{{7*7}}${7*7}<%= 7*7 %>',
  zip: '10001',
  address1: "'; DROP TABLE clinicians; --",
  address2: null,
  phone: '212-555-0199\r\nSet-Cookie: stolen=1',
  fax: null,
  additionalLocations: [{ address1: '<b>', address2: null, city: 'constructor', state: 'NY', fax: null, zip: '10001' }],
  credentials: '<i>MD</i>',
  specialty: '\u001B[31mRed\u001B[0m & <u>Surgery</u>',
  specialtyDetails: { abbr: '<', code: '>', credentialID: 1, name: '"', id: "'" },
  hospitals: [{ name: '<a href="javascript:alert(1)">Hospital</a>', ahaID: '"' }],
  subspecialties: ['</textarea><script>alert(2)</script>'],
  medicalSchool: '&lt;already escaped&gt;',
  residencies: ['\uD83E\uDE7A Zo\u00EB\u0308\u0301'],
  profilePhoto: 'javascript:alert(document.domain)',
  colleagueCount: 0,
  description: `<marquee>${'A very long story. '.repeat(4900)}</marquee>`,
};

const PROFILES: Readonly<Record<keyof typeof PERSONA_DESCRIPTIONS, Persona>> = {
  verified,
  pending,
  minimal,
  connected,
  hostile,
};

/** Their photos are paths of the provider. */
export const PERSONAS: readonly ClinicianOptions[] = Object.entries(PROFILES).map(([username, profile]) => ({
  username,
  ...profile,
}));
