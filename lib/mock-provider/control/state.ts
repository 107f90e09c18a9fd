import type { Clinician } from '../clinician.js';
import type { House } from '../house.js';

export interface ClockState {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly iso: string;
  readonly isFrozen: boolean;
  /** Milliseconds ahead of the machine. */
  readonly offset: number;
}

export function clockState({ clock }: House): ClockState {
  const now = clock.now();
  return { now, iso: new Date(now).toISOString(), isFrozen: clock.isFrozen, offset: Math.round(now - Date.now()) };
}

/** @returns a clinician as everybody may see them: without the password. */
export function shownClinician({ password: _, ...shown }: Clinician): Omit<Clinician, 'password'> {
  return shown;
}
