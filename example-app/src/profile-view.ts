import type { ClinicianProfile, Hospital, ProfileLocation } from 'passport-clinician';

/** One line of the page: a label, and the values from the service. `null` means that the service has no value. */
interface Row {
  label: string;
  values: readonly (string | null)[];
}

interface Section {
  title: string;
  rows: readonly Row[];
}

type Value = string | number | null | undefined;

function row(label: string, ...values: readonly Value[]): Row {
  const sent = values.filter((value) => value !== undefined && value !== '');
  return { label, values: sent.map((value) => (value === null ? null : String(value))) };
}

/** Creates a section without the lines that the service sent no value for. */
function section(title: string, rows: readonly Row[]): Section {
  return { title, rows: rows.filter(({ values }) => values.length > 0) };
}

/** Formats an address as usual, without empty lines. */
function addressLines({ address1, address2, city, state, zip }: ProfileLocation): Value[] {
  const town = [city, [state, zip].filter(Boolean).join(' ')].filter(Boolean).join(', ');
  return [address1, address2, town].filter((line) => line !== null);
}

function locationRows(location: ProfileLocation): Row[] {
  return [row('Address', ...addressLines(location)), row('Phone', location.phone), row('Fax', location.fax)];
}

function formatHospital({ name, ahaID }: Hospital): string | undefined {
  return name && ahaID ? `${name} (AHA ${ahaID})` : (name ?? ahaID);
}

/** @returns the address of a photo. This site has portraits of the mock provider's test users, which have one photo there. */
export function photoURL(photo: string): string {
  return photo.replace(/^https?:.*\/oauth\/photo\.svg\?of=([a-z-]+)$/, '/assets/photos/$1.svg');
}

/** Formats a profile as sections of labelled lines, with every member of the service's profile. */
export function profileSections(profile: ClinicianProfile): Section[] {
  const { specialtyDetails: details, additionalLocations: locations = [], lat, lon } = profile;
  const sections = [
    section('Person', [
      row('First name', profile.firstName),
      row('Middle name', profile.middleName),
      row('Last name', profile.lastName),
      row('Maiden name', profile.maidenName),
      row('Gender', profile.gender),
      row('NPI', profile.npi),
      row('Email', profile.email),
      row('Colleagues', profile.colleagueCount),
    ]),
    section('Profession', [
      row('Credentials', profile.credentials),
      row('Specialty', profile.specialty),
      row('Specialty in full', details?.name),
      row('Specialty, abbreviated', details?.abbr),
      row('Subspecialties', ...(profile.subspecialties ?? [])),
      row('Hospitals', ...(profile.hospitals ?? []).map(formatHospital)),
    ]),
    section('Training', [
      row('Medical school', profile.medicalSchool),
      row('Residencies', ...(profile.residencies ?? [])),
    ]),
    section('Office', [
      ...locationRows(profile),
      row('Map position', lat !== undefined && lon !== undefined ? `${lat}, ${lon}` : (lat ?? lon)),
    ]),
    ...locations.map((location, index) => section(`Other office ${index + 1}`, locationRows(location))),
    section('Codes at the service', [
      row('Member number', profile.id),
      row('Specialty code', details?.code),
      row('Specialty number', details?.id),
      row('Credential number', details?.credentialID),
    ]),
  ];
  return sections.filter(({ rows }) => rows.length > 0);
}
