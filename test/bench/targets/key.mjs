import { generateKeyPairSync } from 'node:crypto';

/** A signing key, for providers that are measured. */
export const createKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
export const SECRET = 'only-for-these-measurements-and-long-enough-for-a-key';
export const REDIRECT_URI = 'http://127.0.0.1:5001/auth/callback';
