// What some tests need from the machine besides npm's packages, and which tests those are.
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NEEDS = [
  {
    tests: /^test\/browser\/.*\.test\.ts$|\.browser\.test\.ts$/,
    what: 'tests in a browser',
    variable: 'CHROMIUM',
    commands: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  },
  {
    tests: /\.redis\.test\.ts$/,
    what: 'tests on a real Redis',
    variable: 'REDIS_SERVER',
    commands: ['redis-server'],
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

function onPath(commands) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return commands.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/**
 * @param {string} root the repository
 * @returns {{ found: Record<string, string>, lacking: { line: string, files: string[] }[] }} the programs found, by the
 *   name of the environment variable that tests read; and one line for each that is lacking and that a test wants
 */
export function lookAround(root) {
  const files = readdirSync(join(root, 'test'), { recursive: true }).map(
    (file) => `test/${file.replaceAll('\\', '/')}`,
  );
  const found = {};
  const lacking = [];
  for (const { tests, what, variable, commands } of NEEDS) {
    const wanting = files.filter((file) => tests.test(file));
    const told = process.env[variable];
    const program = told ? [told].find(isExecutable) : onPath(commands);
    if (program) found[variable] = program;
    else if (wanting.length > 0) {
      const why = told ? `${variable} names no program` : `no ${commands[0]} is on the PATH`;
      lacking.push({ files: wanting, line: `skipped: ${what} (${wanting.join(', ')}), because ${why}` });
    }
  }
  return { found, lacking };
}
