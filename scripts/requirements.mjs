// The programs that some tests need in addition to npm packages, and the tests that need them.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** Debian has the programs of each version of PostgreSQL in a folder that is not on the PATH. */
const POSTGRES_FOLDER = '/usr/lib/postgresql';
const DEBIAN_POSTGRES = existsSync(POSTGRES_FOLDER)
  ? readdirSync(POSTGRES_FOLDER).map((version) => join(POSTGRES_FOLDER, version, 'bin/postgres'))
  : [];

const REQUIREMENTS = [
  {
    tests: /^test\/browser\/.*\.test\.ts$|\.browser\.test\.ts$/,
    title: 'tests in a browser',
    variable: 'CHROMIUM',
    commands: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  },
  {
    // Without it the tests in a browser run in Chromium, and take twice the processor time.
    tests: /^$/,
    variable: 'CHROMIUM_HEADLESS_SHELL',
    commands: ['chromium-headless-shell', 'chrome-headless-shell'],
  },
  {
    tests: /\.redis\.test\.ts$/,
    title: 'tests on a real Redis',
    variable: 'REDIS_SERVER',
    commands: ['redis-server', 'valkey-server'],
  },
  {
    tests: /\.postgres\.test\.ts$/,
    title: 'tests on a real PostgreSQL',
    variable: 'POSTGRES_SERVER',
    commands: ['postgres', ...DEBIAN_POSTGRES], // initdb is in the same folder
  },
  {
    tests: /\.python\.test\.ts$/,
    title: 'tests with a program in Python',
    variable: 'PYTHON3',
    commands: ['python3'],
  },
  {
    tests: /\.authlib\.test\.ts$/,
    title: 'tests with Authlib and Flask, a client in Python',
    variable: 'PYTHON3_AUTHLIB',
    commands: ['python3', '/usr/bin/python3'], // Debian's packages are for its own Python
    isUsable: (python) => spawnSync(python, ['-c', 'import authlib, flask, requests']).status === 0,
    reason: 'no python3 has the packages authlib, flask and requests',
  },
  {
    tests: /^test\/operations\/.*\.test\.ts$/,
    title: 'tests behind nginx',
    variable: 'NGINX',
    commands: ['nginx', '/usr/sbin/nginx'], // the PATH of a user may have no folder for system programs
  },
  {
    tests: /^test\/operations\/.*\.test\.ts$/,
    title: 'tests behind nginx',
    variable: 'OPENSSL',
    commands: ['openssl'],
  },
];

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function findOnPath(commands) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return commands.flatMap((name) => folders.map((folder) => resolve(folder, name))).filter(isExecutable);
}

/**
 * @param {string} root the folder of the repository
 * @param {(file: string) => boolean} [isSelected] whether this run has a file with tests
 * @returns {{ env: Record<string, string>, missing: { message: string, files: string[] }[] }} the programs found, as the environment
 *   variables that the tests read; and for each missing program the selected tests to skip, with a message of one line
 */
export function findRequirements(root, isSelected = () => true) {
  const files = readdirSync(join(root, 'test'), { recursive: true })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter(isSelected);
  const env = {};
  const missing = [];
  for (const { tests, title, variable, commands, isUsable = () => true, reason } of REQUIREMENTS) {
    const affected = files.filter((file) => tests.test(file));
    const configured = process.env[variable];
    const program = (configured ? [configured].filter(isExecutable) : findOnPath(commands)).find(isUsable);
    if (program) env[variable] = program;
    else if (affected.length > 0) {
      const absent = reason ?? `no ${commands[0]} is on the PATH`;
      const because = configured ? `${variable} is not a program that they can use` : absent;
      missing.push({ files: affected, message: `skipped: ${title} (${affected.join(', ')}), because ${because}` });
    }
  }
  return { env, missing };
}
