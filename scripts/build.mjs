// ESM: one file per source file, by tsc. CommonJS: one bundle per entry with the ESM-only packages inside it, because a
// jest without configuration cannot require ESM. Types for both. Built aside and moved into place at the end, so that
// whoever reads dist meanwhile never meets half of it. `node scripts/build.mjs FOLDER` builds the package there, and it alone.
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

const BUNDLED = ['openid-client', 'oauth4webapi', 'jose'];

const root = fileURLToPath(new URL('..', import.meta.url));
const target = resolve(process.argv[2] ?? join(root, 'dist'));
process.chdir(root);
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
/** Each entry as its path without an ending, seen from lib/ and from dist/<format>/ alike: `testing/testing`. */
const entries = Object.values(manifest.exports)
  .filter((target) => typeof target === 'object')
  .map((target) => /^\.\/dist\/cjs\/(.+)\.js$/.exec(target.require.default)[1]);

function tsc(...args) {
  const bin = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [bin, ...args], { stdio: 'inherit' });
  if (status !== 0) throw new Error('Not built: see what tsc says above.');
}

/** Keeps one entry's code out of another's bundle: a site that loads two of them loads the shared one once. */
function entriesStayApart(entry) {
  const from = dirname(entry);
  return {
    name: 'entries-stay-apart',
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

async function bundle(entry, outdir) {
  const { metafile } = await build({
    entryPoints: [`lib/${entry}.ts`],
    outfile: join(outdir, `${entry}.js`),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    external: Object.keys(manifest.dependencies).filter((name) => !BUNDLED.includes(name)),
    plugins: [entriesStayApart(entry)],
    define: { 'import.meta.url': 'importMetaURL' },
    banner: { js: "const importMetaURL = require('node:url').pathToFileURL(__filename).href;" },
    metafile: true,
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs)
    .map((file) => /^.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
    .filter((name) => name !== undefined);
}

/** What is bundled is copied, and its licence asks to go with it. */
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
  const bundled = await Promise.all(entries.map((entry) => bundle(entry, cjs)));
  writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(join(cjs, 'LICENSES.txt'), licences([...new Set(bundled.flat())].sort()).join('\n---\n\n'));
  for (const bin of Object.values(manifest.bin)) chmodSync(join(stage, bin.replace('./dist/', '')), 0o755);
  for (const file of readdirSync(esm, { recursive: true })) {
    if (file.endsWith('.d.ts') && !/^cli[/\\]/.test(file)) cpSync(join(esm, file), join(cjs, file));
  }
}

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
