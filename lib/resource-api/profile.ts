import type { Clock } from '../async/clock.js';
import { BoundedMap } from '../async/work.js';
import { ProtocolError } from '../errors/errors.js';
import { type JSONDocument, malformed, readJSONDocument } from '../http/json.js';
import type { AuthorizedFetch, CallOptions } from './authorized-fetch.js';
import { type Members, RESOURCE_TYPE, readMembers, removePrototypeNames } from './json-members.js';

const PROFILE_DOCUMENT: JSONDocument = { name: 'the profile', mediaType: RESOURCE_TYPE };

/** One address of a clinician (service spec, "Location object members"). */
export interface ProfileLocation {
  address1?: string | null;
  address2?: string | null;
  city?: string;
  state?: string;
  phone?: string | null;
  fax?: string | null;
  zip?: string;
}

/** The specialty of a clinician with its codes (service spec, "Profile (current user)"). */
export interface SpecialtyDetails {
  abbr?: string;
  code?: string;
  credentialID?: number;
  name?: string;
  id?: string;
}

/** One hospital of a clinician; `ahaID` is the id of the American Hospital Association. */
export interface Hospital {
  name?: string;
  ahaID?: string;
}

/**
 * The profile of one user (service spec, "Profile (current user)"), in one spelling. A member that the service did not
 * send is absent; null remains null if the spec allows it. A member of another type than in the spec is only in `raw`.
 */
export interface ClinicianProfile {
  /** The service's integer, as a string: the identity of the `profile` flow. */
  id: string;
  npi?: number;
  firstName?: string;
  middleName?: string;
  lastName?: string;
  maidenName?: string | null;
  /** Display name with credential suffix. */
  fullName?: string;
  gender?: string;
  state?: string;
  /** Degrees. */
  lat?: number;
  /** Degrees. */
  lon?: number;
  city?: string;
  zip?: string;
  address1?: string | null;
  address2?: string | null;
  phone?: string | null;
  fax?: string | null;
  additionalLocations?: ProfileLocation[];
  /** Such as `MD` or `DO`. */
  credentials?: string;
  specialty?: string;
  specialtyDetails?: SpecialtyDetails;
  hospitals?: Hospital[];
  subspecialties?: string[];
  medicalSchool?: string;
  residencies?: string[];
  /** An https URL. Other URLs are dropped. */
  profilePhoto?: string;
  colleagueCount?: number;
  /** True only if the service sent exactly `true`. */
  verified: boolean;
  description?: string;
  /** Only with scope `email`. */
  email?: string;
  /** The members as the service sent them, including unknown ones. */
  raw: Record<string, unknown>;
}

/** @throws ProtocolError `response_malformed` */
export function profileID(profile: Record<string, unknown>): string {
  const id = Object.hasOwn(profile, 'id') ? profile.id : undefined;
  if (!Number.isSafeInteger(id) || (id as number) < 1) {
    throw malformed(PROFILE_DOCUMENT, 'has an `id` that is not a positive safe integer');
  }
  return String(id);
}

const ADDRESS: Members<ProfileLocation> = {
  address1: ['string or null', 'address_1'],
  address2: ['string or null', 'address_2'],
  city: ['string', 'city'],
  state: ['string', 'state'],
  phone: ['string or null', 'phone'],
  fax: ['string or null', 'fax'],
  zip: ['string', 'zip'],
};

const SPECIALTY: Members<SpecialtyDetails> = {
  abbr: ['string', 'abbr'],
  code: ['string', 'code'],
  credentialID: ['integer', 'credential_id'],
  name: ['string', 'name'],
  id: ['string', 'id'],
};

const HOSPITAL: Members<Hospital> = { name: ['string', 'name'], ahaID: ['string', 'aha_id'] };

/** The spellings of the service spec: its field list, and its sample payload. */
const PROFILE: Members<Omit<ClinicianProfile, 'id' | 'verified' | 'raw'>> = {
  npi: ['integer', 'npi'],
  firstName: ['string', 'first_name', 'firstname'],
  middleName: ['string', 'middle_name', 'middlename'],
  lastName: ['string', 'last_name', 'lastname'],
  maidenName: ['string or null', 'maiden_name', 'maidenname'],
  fullName: ['string', 'full_name', 'fullname'],
  gender: ['string', 'gender'],
  lat: ['number', 'lat'],
  lon: ['number', 'lon'],
  ...ADDRESS,
  additionalLocations: [[ADDRESS], 'additional_locations'],
  credentials: ['string', 'credentials'],
  specialty: ['string', 'specialty'],
  specialtyDetails: [SPECIALTY, 'specialty_details'],
  hospitals: [[HOSPITAL], 'hospitals'],
  subspecialties: ['strings', 'subspecialties'],
  medicalSchool: ['string', 'medical_school'],
  residencies: ['strings', 'residencies'],
  profilePhoto: ['image', 'profile_photo'],
  colleagueCount: ['integer', 'colleague_count'],
  description: ['string', 'description'],
  email: ['string', 'email'],
};

/** Text that may have such a name, also escaped. */
const PROTOTYPE_NAME = /__proto__|constructor|prototype|\\u/;

/** @param json the text of a response that {@link fetchProfile} has checked */
export function parseProfile(json: string, apiURL?: string): ClinicianProfile {
  const raw = JSON.parse(json) as Record<string, unknown>;
  if (PROTOTYPE_NAME.test(json)) removePrototypeNames(raw);
  const verified = Object.hasOwn(raw, 'verified') && raw.verified === true;
  return { id: profileID(raw), verified, ...readMembers(raw, PROFILE, apiURL), raw };
}

/** A response that can be requested again with `If-None-Match` (RFC 9110 section 13.1.2). */
export interface CachedResponse {
  readonly etag: string;
  readonly body: string;
}

/** The cached response of one grant. */
export interface CacheSlot {
  read(): CachedResponse | undefined;
  write(response: CachedResponse | undefined): void;
}

/**
 * Requests the profile of the signed-in user.
 * @param cached an earlier response, which is returned if the profile is unchanged
 * @returns the response with the profile as JSON, checked. Without an ETag, no later request can be conditional.
 */
export async function fetchProfile(
  service: AuthorizedFetch,
  { signal, maxWait }: CallOptions = {},
  cached?: CachedResponse,
): Promise<Pick<CachedResponse, 'body'> & Partial<CachedResponse>> {
  const headers = cached === undefined ? {} : { 'if-none-match': cached.etag };
  const response = await service.get('/api/v1/users/current', { scope: 'basic', headers, signal, maxWait });
  if (response.status === 304) {
    if (cached === undefined) throw malformed(PROFILE_DOCUMENT, 'is empty');
    return cached;
  }
  const { json, text } = await readJSONDocument(response, PROFILE_DOCUMENT);
  const id = profileID(json);
  const account = await service.tokens.user();
  account.profileID ??= id;
  // Its `verified` must not apply to this user.
  if (id !== account.profileID) {
    const message = 'The profile was rejected: it belongs to another user.';
    throw new ProtocolError('profile_subject_mismatch', message);
  }
  const etag = response.headers.get('etag');
  return etag ? { body: text, etag } : { body: text };
}

/** The number of responses. The one that was written longest ago is dropped first. */
const MAX_ENTRIES = 1_000;
const LIFETIME_MS = 60 * 60 * 1000;

/** Caches profiles in memory between requests, so that the service does not send unchanged ones again. */
export class ConditionalCache {
  readonly #clock: Clock;
  readonly #entries = new BoundedMap<string, CachedResponse & { readonly expiresAt: number }>(MAX_ENTRIES);

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
  }

  read(grantID: string): CachedResponse | undefined {
    this.#removeExpired();
    return this.#entries.get(grantID);
  }

  /** @param response undefined removes the cached one */
  write(grantID: string, response?: CachedResponse): void {
    this.#entries.delete(grantID);
    if (response) this.#entries.set(grantID, { ...response, expiresAt: this.#clock.now() + LIFETIME_MS });
  }

  #removeExpired(): void {
    for (const [grantID, { expiresAt }] of this.#entries) {
      if (expiresAt > this.#clock.now()) return;
      this.#entries.delete(grantID);
    }
  }
}
