import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../architecture/imports.js';
import { readReference } from '../helpers/test-names.js';

/** The paths on which a site can use this package as a client of the service. */
export const CLIENT_PATHS = ['clinicianLogin()', 'clinician.strategy', 'ClinicianStrategy'] as const;

/** The paths that a test of the client runs on; `shared` for a test of a module that every path uses. */
export type PathsShown = readonly (typeof CLIENT_PATHS)[number][] | 'shared';

const ALL: PathsShown = CLIENT_PATHS;
const DROP_IN: PathsShown = ['clinicianLogin()'];

/** The paths by the start of a reference: a folder, a file, or a test of it. The longest start decides. */
const PATHS: Readonly<Record<string, PathsShown>> = {
  'authorization-server/': 'shared',
  'resource-api/': 'shared',
  'token-vault/': 'shared',
  'http/': 'shared',
  'options/': DROP_IN,
  'express/request-state': 'shared',
  'spec/client: a site that signs in by': ALL,
  'integration/login-paths: a login by': ALL,
  'security/fragment: a response in the fragment': ALL,
  'spec/client': DROP_IN,
  'integration/': DROP_IN,
  'security/': DROP_IN,
  // Pages, buttons and scripts of the drop-in.
  'html/': DROP_IN,
  'browser/': DROP_IN,
  'passport/': ['ClinicianStrategy'],
};

/** @returns the paths that a test runs on; undefined for a test that the table does not have. */
export function pathsOf(reference: string): PathsShown | undefined {
  const starts = Object.keys(PATHS).filter((start) => reference.startsWith(start));
  const [longest] = starts.sort((one, other) => other.length - one.length);
  return longest === undefined ? undefined : PATHS[longest];
}

/** What the source of a test contains that creates a site of these paths. */
const SIGNS: readonly (readonly [RegExp, PathsShown])[] = [
  [/\bsiteAt\(/, ALL],
  [/\bnew ClinicianStrategy\(/, ['ClinicianStrategy']],
  [/\b(?:siteFor|clinicianLogin)\(|example-app|\.\/harness\.js|lib\/html\//, DROP_IN],
];

/**
 * @param source the text of the test
 * @returns what is wrong with the paths of a test of the client; undefined where it runs on them
 */
export function pathsProblem(reference: string, source: string = sourceOf(reference)): string | undefined {
  const paths = pathsOf(reference);
  if (paths === undefined) return `test/spec/paths.ts has no paths for ${reference}`;
  const found = SIGNS.filter(([sign]) => sign.test(source)).map(([, shown]) => shown);
  const isShown = paths === 'shared' ? found.length === 0 : found.some((shown) => String(shown) === String(paths));
  return isShown ? undefined : `${reference} does not run on: ${paths}`;
}

function sourceOf(reference: string): string {
  return readFileSync(join(root, readReference(reference).file), 'utf8');
}
