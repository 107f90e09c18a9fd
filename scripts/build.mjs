// ESM: one file per source file, by tsc. CJS: one bundle per entry, with the ESM-only packages inside it, because an
// unconfigured jest cannot require ESM. Types for both.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const run = (...args) => execFileSync(process.execPath, [tsc, ...args], { stdio: 'inherit' });

rmSync('dist', { recursive: true, force: true });
run('-p', 'tsconfig.build.json');

const { exports, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const entries = Object.values(exports)
  .filter((entry) => typeof entry === 'object')
  .map((entry) => entry.require.default.replace('./dist/cjs/', ''));
const ESM_ONLY = ['openid-client', 'oauth4webapi', 'jose'];

await build({
  entryPoints: entries.map((entry) => join('dist/esm', entry)),
  outbase: 'dist/esm',
  outdir: 'dist/cjs',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  external: Object.keys(dependencies).filter((name) => !ESM_ONLY.includes(name)),
  legalComments: 'eof',
  logLevel: 'warning',
  define: { 'import.meta.url': '__importMetaUrl' },
  banner: { js: "const __importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
});

mkdirSync('dist/cjs', { recursive: true });
writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n');
for (const file of readdirSync('dist/esm', { recursive: true })) {
  if (file.endsWith('.d.ts')) cpSync(join('dist/esm', file), join('dist/cjs', file));
}

if (existsSync('example-app/tsconfig.build.json')) {
  rmSync('example-app/build', { recursive: true, force: true });
  run('-p', 'example-app/tsconfig.build.json');
}
