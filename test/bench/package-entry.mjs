import { readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

/** Imports an entry point of this package: its name finds another package here, that of `package.json` in this folder. */
export const importPackage = (subpath = '.') => import(new URL(exports[subpath].import.default, root).href);
