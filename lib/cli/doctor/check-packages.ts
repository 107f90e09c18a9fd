import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type CheckResult, ok, problem, warning } from './check-result.js';
import { isBelow, MINIMUM_VERSIONS, minimumAbove } from './minimum-versions.js';

const MIN_NODE = '20.19.0';

export function checkNode(version: string = process.versions.node): CheckResult {
  if (!isBelow(version, MIN_NODE)) return ok('node', `Node ${version}`);
  return problem('node', `Node ${version} is too old for this package.`, `Install Node ${MIN_NODE} or newer.`);
}

/** Checks the installed versions. As Node does, it looks in the folder and in each folder above. */
export function checkPackages(folder: string): CheckResult[] {
  const packages = Object.keys(MINIMUM_VERSIONS).flatMap((name) => {
    const version = installed(name, resolve(folder));
    return version === undefined ? [] : [{ name, version, minimum: minimumAbove(name, version) }];
  });
  const outdated = packages.filter(({ minimum }) => minimum !== undefined);
  const problems = outdated.map(({ name, version, minimum }) =>
    problem('packages', `${name} ${version} has a published vulnerability.`, `Run npm install ${name}@^${minimum}.`),
  );
  if (!packages.some(({ name }) => name === 'express')) {
    return [
      warning('packages', `express is not installed in ${resolve(folder)}.`, 'Pass --folder: the folder of the site.'),
    ];
  }
  return problems.length > 0
    ? problems
    : [ok('packages', packages.map(({ name, version }) => `${name} ${version}`).join(', '))];
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
