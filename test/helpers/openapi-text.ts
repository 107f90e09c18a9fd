import { readFileSync } from 'node:fs';

/** The text that the build includes: see `moduleNameMapper` in jest.config.mjs. */
const text: string = readFileSync(new URL('../../docs/reference/mock-provider.openapi.json', import.meta.url), 'utf8');
export default text;
