import { npiFrom } from '../options/npi.js';

/** Somebody on a colleague list (service spec: colleague list). What is left out is absent from the wire. */
export interface Colleague {
  readonly id: number;
  readonly npi: number;
  readonly firstName: string;
  readonly middleName?: string;
  readonly lastName: string;
  readonly credentials: string;
  readonly specialty: string;
  readonly zip: string;
  readonly profilePhoto?: string;
}

const FIRST_NAMES = [
  'Amara',
  'Benoit',
  'Chloe',
  'Dario',
  'Esther',
  'Farid',
  'Greta',
  'Hugo',
  'Imani',
  'Jonas',
  'Keiko',
];
const LAST_NAMES = [
  'Adeyemi',
  'Bergstrom',
  'Chandra',
  'Duarte',
  "O'Malley",
  'Fischer',
  'Garza',
  'Haddad',
  'Ito',
  'Kim-Lee',
];
const SPECIALTIES = [
  'Anesthesiology',
  'Cardiology',
  'Dermatology',
  'Emergency Medicine',
  'Family Medicine',
  'Psychiatry',
];
const CREDENTIALS = ['MD', 'DO', 'MD, PhD', 'NP', 'PA', 'PharmD', 'DNP'];
const FIRST_ID = 52_000_000_000;
/** How many ids there are for each clinician's list. */
const ROOM = 1_000_000;

/** @returns the colleague at a place of a clinician's list: the same one every time, without the list being kept anywhere. */
export function colleague(ownerID: number, place: number): Colleague {
  const id = FIRST_ID + (ownerID % 1000) * ROOM + place * 3 + 1;
  const pick = (list: readonly string[], salt: number) => list[scramble(place + salt * 7919) % list.length] as string;
  const dice = scramble(place);
  return {
    id,
    npi: npiFrom(100_000_000 + (id % 100_000_000)),
    firstName: pick(FIRST_NAMES, 1),
    ...(dice % 3 > 0 && { middleName: pick(FIRST_NAMES, 2) }),
    lastName: pick(LAST_NAMES, 3),
    credentials: pick(CREDENTIALS, 4),
    specialty: pick(SPECIALTIES, 5),
    zip: String(10_000 + (scramble(place + 13) % 89_999)),
    ...(dice % 4 > 0 && { profilePhoto: `https://photos.clinic.example/${id}.png` }),
  };
}

/** A number that looks like chance, and is not: the finish of MurmurHash3. */
function scramble(seed: number): number {
  let mixed = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
