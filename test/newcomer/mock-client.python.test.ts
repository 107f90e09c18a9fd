import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../architecture/imports.js';
import { describeBuilt, endAll, passportClinician } from '../cli/program.js';
import { freePort } from '../helpers.js';

const TOKEN = 'Newcomer-token-8fJ2kQx7LmN4';
const folder = dirname(fileURLToPath(import.meta.url));
const document = readFileSync(join(root, 'docs', 'test', 'containers.md'), 'utf8');
afterEach(endAll);

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const [release] = /^\d+\.\d+/.exec(version) ?? [];
const COMMAND = new RegExp(`passport-clinician(?:@${release})? (mock-provider .*--control)(?: &)?$`, 'gm');

/**
 * @returns the commands of a page that start a mock provider with its control API, also as `CMD` of a Dockerfile. Those of another
 * release than this one are left out.
 */
function commandsOf(page: string): string[] {
  const shell = page.replaceAll(/^CMD (\[.*\])$/gm, (_line, list: string) => (JSON.parse(list) as string[]).join(' '));
  return [...shell.matchAll(COMMAND)].map(([, command = '']) => command);
}

/** Starts the mock provider by a command of the page. */
async function startContainer(command: string, MOCK_CONTROL_TOKEN: string) {
  const port = String(await freePort());
  const args = command.replaceAll('4400', port).replace('//mock:', '//127.0.0.1:').split(' ');
  const portArgs = command.includes('--port') ? [] : ['--port', port];
  const program = passportClinician([...args, ...portArgs, '--json'], { MOCK_CONTROL_TOKEN });
  return { program, port, line: JSON.parse(await program.line()) as { issuer: string; controlURL: string } };
}

describeBuilt('a mock provider in a container', () => {
  test.each(commandsOf(document))('is tested by a program in Python: %s', async (command) => {
    const isReachable = command.includes('--host');
    const token = isReachable ? TOKEN : '';
    const { program, line } = await startContainer(command, token);
    const env = { ...process.env, no_proxy: '*', MOCK_URL: line.issuer, MOCK_CONTROL_TOKEN: token };
    const python = String(process.env.PYTHON3);
    const { stderr } = await promisify(execFile)(python, [join(folder, 'mock_client.py')], { env });
    expect(stderr).toMatch(/Ran 4 tests[\s\S]*\nOK\n/);
    const warning = '[mock_provider_reachable] MockProviderWarning: The mock provider listens on 0.0.0.0.';
    expect(program.output.err.includes(warning)).toBe(isReachable);
    expect(program.output.out + program.output.err).not.toContain(TOKEN);
  });
});

test('docs/test/containers.md shows the program, a valid workflow and three commands', () => {
  expect(commandsOf(document)).toHaveLength(3);
  expect(document).toContain(readFileSync(join(folder, 'mock_client.py'), 'utf8'));
  const [workflow] = [...document.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => parse(yaml));
  expect(workflow.jobs.test.steps).not.toContain(undefined);
});
