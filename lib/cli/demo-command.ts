import { createRequire } from 'node:module';
import { isProduction } from '../production.js';
import { readArguments, readNumber } from './arguments.js';
import { type Command, CommandError, type Option, usageError } from './command.js';
import { waitForStop } from './wait-for-stop.js';

const DEFAULT_PORT = 3000;

const OPTIONS: Readonly<Record<string, Option>> = {
  port: { value: 'number', help: `the port of the site (default ${DEFAULT_PORT})` },
  flow: { value: 'name', help: 'openid (OpenID Connect, the default) or profile (profile scopes)' },
};

/** The reference site, which scripts/build.mjs adds to the package: example-app/src/demo.ts. */
interface DemoSite {
  startDemo(settings: Readonly<Record<string, string>>): Promise<{ message: string; close(): Promise<void> }>;
  configMessage(error: unknown): string | undefined;
}

const require = createRequire(import.meta.url);

/** Runs `passport-clinician demo`: a site that signs clinicians in, with the mock provider and its inspector. */
export const demo: Command = {
  name: 'demo',
  summary: 'runs an example site, the mock provider and its inspector on this machine',
  options: OPTIONS,
  notes: `It needs express 5 and express-session. It stores everything in memory, and reads no settings from the environment.
The mock provider and its inspector listen on port 4400, or on the next port that is free.`,
  async run(args) {
    const { port = String(DEFAULT_PORT), flow = 'openid' } = readArguments('demo', args, OPTIONS) as Record<
      string,
      string
    >;
    readNumber('port', port, 1, 65_535);
    if (isProduction())
      throw new CommandError('The demo does not start with NODE_ENV=production: anyone can sign in to it.');
    if (flow !== 'openid' && flow !== 'profile') throw usageError('--flow must be openid or profile.');
    const { message, close } = await start({ PORT: port, CLINICIAN_FLOW: flow });
    console.log(`${message}\n  Press Ctrl+C to stop.\n`);
    try {
      await waitForStop();
    } finally {
      await close();
    }
    return 0;
  },
};

async function start(settings: Readonly<Record<string, string>>): ReturnType<DemoSite['startDemo']> {
  assertExpress();
  const { startDemo, configMessage } = require('../demo/build/site.cjs') as DemoSite;
  try {
    return await startDemo(settings);
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new CommandError(`Port ${settings.PORT} is in use. Pass another one: --port 3001.`);
    throw new CommandError(configMessage(error) ?? (error as Error).message);
  }
}

/** The packages that the demo uses from the project: Express 5, because version 4 does not handle a rejected promise. */
function assertExpress(): void {
  try {
    require.resolve('express-session');
    const { version } = require('express/package.json') as { version: string };
    if (Number.parseInt(version, 10) >= 5) return;
  } catch {}
  throw new CommandError(
    'The demo needs express 5 and express-session. Run: npm install passport-clinician express@5 express-session',
  );
}
