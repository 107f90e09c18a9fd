import { PERSONAS } from '../../lib/mock-provider/options/personas.js';

/** The user names of the test users, as messages list them. */
export const testUsers: string = PERSONAS.map(({ username }) => username).join(', ');
