import { createHash, timingSafeEqual } from 'node:crypto';
import express, { type Express } from 'express';
import type { ClinicianLogin } from 'passport-clinician';

/** The time of a site, which a test can set. The `clock` of a mock provider is one. */
export interface SettableClock {
  /** @returns milliseconds since the Unix epoch. */
  now(): number;
  set(now: number): void;
}

/** @returns a clock that runs with the machine's. */
export function settableClock(): SettableClock {
  let offsetMs = 0;
  return {
    now: () => Date.now() + offsetMs,
    set(now) {
      offsetMs = now - Date.now();
    },
  };
}

interface TestHook {
  /** The bearer token of each request. */
  token: string;
  clinician: ClinicianLogin;
  clock: SettableClock;
}

/**
 * Adds `POST /test/reset` for tests in another process: it removes what the sign-in has counted and cached. With `{ "now": 1790000000000 }`
 * as JSON it also sets the clock, in milliseconds since the Unix epoch.
 */
export function addTestHook(app: Express, { token, clinician, clock }: TestHook): void {
  const expected = digest(`Bearer ${token}`);
  app.post(
    '/test/reset',
    (req, res, next) => {
      if (timingSafeEqual(digest(req.headers.authorization ?? ''), expected)) next();
      else res.status(401).set('WWW-Authenticate', 'Bearer').json({ message: 'Send the value of TEST_RESET_TOKEN.' });
    },
    express.json({ limit: '1kb' }),
    async (req, res) => {
      const { now } = { ...req.body } as { now?: unknown };
      if (now !== undefined && !isTime(now)) {
        res.status(400).json({ message: 'now must be milliseconds since the Unix epoch.' });
        return;
      }
      if (now !== undefined) clock.set(now as number);
      // Loaded at its first use: it contains the mock provider.
      const { resetForTest } = await import('passport-clinician/testing');
      resetForTest(clinician);
      res.json({ now: clock.now() });
    },
  );
}

const MAX_DATE_MS = 8.64e15;

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_DATE_MS;
}

/** Digests have the same length, which a comparison in constant time needs. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
