import type { Rules } from '../provider-instance.js';

type Members = Readonly<Record<string, unknown>>;

/** Names as the service's sample payload spells them, beside its field list (service spec: profile; decision 90). */
const SAMPLE_SPELLING: Members = { first_name: 'firstname', middle_name: 'middlename', last_name: 'lastname' };

/** @returns a profile's or a colleague's members with the names of the wire; undefined ones are left out by JSON. */
export function wireMembers(members: object, spelling: Rules['spelling']): Record<string, unknown> {
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

/** The members of a location, a hospital or the specialty's details: no names of people in them. */
function wireValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireValue);
  return typeof value === 'object' && value !== null ? wireMembers(value, 'list') : value;
}
