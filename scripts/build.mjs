// Builds dist: ESM as one file for each entry and chunks that entries share; CommonJS as one file for each entry, with the
// ESM-only packages inside, because a jest without configuration cannot require ESM; type declarations for both.
// `node scripts/build.mjs FOLDER` builds the package into that folder; without one, also the example app.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { embedText } from './embed-text.mjs';

const BUNDLED = ['openid-client', 'oauth4webapi', 'jose'];

const root = fileURLToPath(new URL('..', import.meta.url));
const target = resolve(process.argv[2] ?? join(root, 'dist'));
process.chdir(root);
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
/** The path of each entry without an extension, the same in lib/ and in dist/<format>/: `testing/testing`. */
const entries = Object.values(manifest.exports)
  .filter((target) => typeof target === 'object')
  .map((target) => /^\.\/dist\/cjs\/(.+)\.js$/.exec(target.require.default)[1]);
const commands = Object.values(manifest.bin).map((file) => /^\.\/dist\/esm\/(.+)\.js$/.exec(file)[1]);

const settings = { bundle: true, platform: 'node', target: 'node20.19', logLevel: 'warning' };

function tsc(...args) {
  const bin = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [bin, ...args], { stdio: 'inherit' });
  if (status !== 0) throw new Error('Not built: tsc reports errors (above).');
}

async function buildESM(outdir) {
  await build({
    ...settings,
    entryPoints: [...entries, ...commands].map((entry) => `lib/${entry}.ts`),
    outbase: 'lib',
    outdir,
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    packages: 'external',
    sourcemap: true,
    plugins: [embedText],
  });
  for (const command of commands) chmodSync(join(outdir, `${command}.js`), 0o755);
}

/** Keeps the code of one CommonJS entry out of the others: a process that requires two of them loads shared code once. */
function keepEntriesSeparate(entry) {
  const from = dirname(entry);
  return {
    name: 'keep-entries-separate',
    setup({ onResolve }) {
      onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir, kind }) => {
        if (kind === 'entry-point') return undefined;
        const other = relative(join(root, 'lib'), resolve(resolveDir, path)).replace(/\.js$/, '');
        if (!entries.includes(other)) return undefined;
        const target = relative(from, other);
        return { external: true, path: `${target.startsWith('.') ? target : `./${target}`}.js` };
      });
    },
  };
}

/** @returns the names of the packages in the bundle */
async function buildCommonJS(entry, outdir) {
  const { metafile } = await build({
    ...settings,
    entryPoints: [`lib/${entry}.ts`],
    outfile: join(outdir, `${entry}.js`),
    format: 'cjs',
    external: Object.keys(manifest.dependencies).filter((name) => !BUNDLED.includes(name)),
    plugins: [keepEntriesSeparate(entry), embedText],
    define: { 'import.meta.url': 'importMetaURL' },
    banner: { js: "const importMetaURL = require('node:url').pathToFileURL(__filename).href;" },
    metafile: true,
  });
  return Object.keys(metafile.inputs)
    .map((file) => /^.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
    .filter((name) => name !== undefined);
}

/** Returns the licences of the bundled packages, which must accompany copies of their code. */
function licences(packages) {
  return packages.map((name) => {
    const folder = join('node_modules', name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
}

async function buildPackage(stage) {
  const [esm, cjs] = [join(stage, 'esm'), join(stage, 'cjs')];
  tsc('-p', 'tsconfig.build.json', '--outDir', esm);
  for (const file of readdirSync(esm, { recursive: true })) {
    if (file.endsWith('.d.ts') && !/^cli[/\\]/.test(file)) cpSync(join(esm, file), join(cjs, file));
  }
  const [bundled] = await Promise.all([Promise.all(entries.map((entry) => buildCommonJS(entry, cjs))), buildESM(esm)]);
  writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(join(cjs, 'LICENSES.txt'), licences([...new Set(bundled.flat())].sort()).join('\n---\n\n'));
}

// The build goes to a temporary folder that then replaces dist: a process that reads dist meanwhile never finds it incomplete.
const stage = mkdtempSync(`${target}-`);
chmodSync(stage, 0o755);
try {
  await buildPackage(stage);
  rmSync(target, { recursive: true, force: true });
  renameSync(stage, target);
  if (!process.argv[2] && existsSync('example-app/tsconfig.build.json')) {
    rmSync('example-app/build', { recursive: true, force: true });
    tsc('-p', 'example-app/tsconfig.build.json');
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(stage, { recursive: true, force: true });
}
