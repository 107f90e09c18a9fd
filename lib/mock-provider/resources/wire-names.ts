import type { ResolvedOptions } from '../options/resolve-provider-options.js';

/** Selects the names of profiles and colleagues on the wire. */
export type Spelling = ResolvedOptions['spelling'];

type Members = Readonly<Record<string, unknown>>;

/** The names of the sample payload, by the names of the field list (service spec: profile). */
const SAMPLE_SPELLING: Members = { first_name: 'firstname', middle_name: 'middlename', last_name: 'lastname' };

/** @returns the members of a profile or colleague with their names on the wire. */
export function wireMembers(members: object, spelling: Spelling): Record<string, unknown> {
  const wire: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    const listed = wireName(name);
    const sample = SAMPLE_SPELLING[listed];
    if (sample === undefined || spelling !== 'sample') wire[listed] = wireValue(value);
    if (typeof sample === 'string' && spelling !== 'list') wire[sample] = value;
  }
  return wire;
}

function wireName(name: string): string {
  return name
    .replace('ahaID', 'aha_id')
    .replace('credentialID', 'credential_id')
    .replace(/([a-z])([A-Z0-9])/g, '$1_$2')
    .toLowerCase();
}

/** Locations, hospitals and specialty details contain no names with two spellings. */
function wireValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireValue);
  return typeof value === 'object' && value !== null ? wireMembers(value, 'list') : value;
}
