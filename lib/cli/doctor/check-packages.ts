import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type CheckResult, ok, problem, warning } from './check-result.js';
import { isBelow, MINIMUM_VERSIONS, minimumAbove } from './minimum-versions.js';

const OLDEST_NODE = '20.19.0';

export function checkNode(version: string = process.versions.node): CheckResult {
  if (!isBelow(version, OLDEST_NODE)) return ok('node', `Node ${version}`);
  return problem('node', `Node ${version} is too old for this package.`, `Install Node ${OLDEST_NODE} or newer.`);
}

/** Looks at the versions that a site in this folder gets, as Node looks for them: here, and in every folder above. */
export function checkPackages(folder: string): CheckResult[] {
  const found = Object.keys(MINIMUM_VERSIONS).flatMap((name) => {
    const version = installed(name, resolve(folder));
    return version === undefined ? [] : [{ name, version, floor: minimumAbove(name, version) }];
  });
  const old = found.filter(({ floor }) => floor !== undefined);
  const findings = old.map(({ name, version, floor }) =>
    problem('packages', `${name} ${version} has a published fault.`, `npm install ${name}@^${floor}, or a newer one.`),
  );
  if (!found.some(({ name }) => name === 'express')) {
    return [warning('packages', `No express is installed in ${resolve(folder)}.`, 'Give --folder: where the site is.')];
  }
  return findings.length > 0
    ? findings
    : [ok('packages', found.map(({ name, version }) => `${name} ${version}`).join(', '))];
}

function installed(name: string, folder: string): string | undefined {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as {
      version?: unknown;
    };
    return String(manifest.version);
  } catch {
    const parent = dirname(folder);
    return parent === folder ? undefined : installed(name, parent);
  }
}
