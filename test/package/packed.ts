import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** The packages of a user's project in addition to this one; this package must contain everything else. */
const PROJECT_PACKAGES = [
  'express',
  'express-session',
  'jest',
  'passport',
  'supertest',
  'typescript',
  '@types/express',
  '@types/express-session',
  '@types/node',
  '@types/passport',
  '@types/supertest',
];

/** A folder of projects with the packed tarball installed, as from a registry. */
export interface Projects {
  /** Every file of the tarball. */
  files: string[];
  read(file: string): Promise<string>;
  /** The folder of a project. */
  folder(project: string): string;
  /** Runs a file with Node in a project. @returns its standard output */
  run(project: string, ...args: string[]): Promise<string>;
  /** Runs a command of another package: `bin('jest', 'jest/bin/jest.js')`. */
  bin(project: string, file: string, ...args: string[]): Promise<string>;
  /** The compressed size of files and folders of the package, in bytes. */
  compressedSize(...files: string[]): Promise<number>;
  remove(): Promise<void>;
}

const execute = promisify(execFile);

/** The environment for the programs of the projects, without the variables of jest, and without proxies: all servers are local. */
export function projectEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:JEST.*|NODE_OPTIONS|NODE_ENV|CI|.*_proxy)$/i.test(name)),
  );
}

async function node(cwd: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout, stderr } = await execute(process.execPath, args, { cwd, env: projectEnvironment() });
    return stdout || stderr;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${args.join(' ')} failed in ${cwd}:\n${stdout}${stderr}`);
  }
}

/** Packs this package as it was built. */
async function pack(folder: string): Promise<string> {
  await execute('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: root });
  const tarball = (await readdir(folder)).find((file) => file.endsWith('.tgz'));
  if (!tarball) throw new Error('npm pack created no tarball');
  return join(folder, tarball);
}

async function install(tarball: string, modules: string, others: readonly string[]): Promise<void> {
  const unpacked = join(modules, 'passport-clinician');
  await mkdir(unpacked, { recursive: true });
  await execute('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
  const manifest = await readFile(join(unpacked, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
  const { bin } = JSON.parse(manifest) as { bin: Record<string, string> };
  await mkdir(join(modules, '.bin'));
  for (const [command, file] of Object.entries(bin)) {
    await chmod(join(unpacked, file), 0o755);
    await symlink(join('..', 'passport-clinician', file), join(modules, '.bin', command));
  }
  for (const name of [...Object.keys(dependencies), ...others]) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
}

/**
 * @param projects a folder of projects
 * @param packages more packages that the projects need
 * @returns the projects, with the package installed
 */
export async function packedProjects(
  projects: string = join(root, 'test', 'package', 'projects'),
  packages: readonly string[] = [],
): Promise<Projects> {
  const folder = await mkdtemp(join(tmpdir(), 'packed-'));
  const modules = join(folder, 'node_modules');
  await install(await pack(folder), modules, [...PROJECT_PACKAGES, ...packages]);
  await cp(projects, folder, { recursive: true });
  const files = await readdir(join(modules, 'passport-clinician'), { recursive: true });
  return {
    files: files.map((file) => file.replaceAll('\\', '/')).sort(),
    read: (file) => readFile(join(modules, 'passport-clinician', file), 'utf8'),
    folder: (project) => join(folder, project),
    run: (project, ...args) => node(join(folder, project), args),
    bin: (project, file, ...args) => node(join(folder, project), [join(root, 'node_modules', file), ...args]),
    async compressedSize(...names) {
      const archive = join(folder, 'part.tgz');
      await execute('tar', ['-czf', archive, '-C', join(modules, 'passport-clinician'), ...names]);
      return (await stat(archive)).size;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
