// Builds dist: each entry of the package as CommonJS, with chunks that the entries share, a small ES module that exports the same
// names, and one declaration file. docs/project/decisions.md
// has the reasons.
// `node scripts/build.mjs FOLDER` builds the package into that folder; without one, also the example app.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { embedText } from './embed-text.mjs';
import { repositoryAddress } from './release.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = resolve(process.argv[2] ?? join(root, 'dist'));
process.chdir(root);
const require = createRequire(import.meta.url);
const readJSON = (file) => JSON.parse(readFileSync(file, 'utf8'));

const manifest = readJSON('package.json');
/** See `addressOf()` in lib/errors. */
const filesURL = manifest.repository ? `${repositoryAddress(manifest)}/blob/v${manifest.version}/` : '';
/** The source of each entry by its name in dist: `{ testing: 'lib/testing/testing.ts' }`. */
const entries = Object.fromEntries(
  Object.entries(readJSON('tsconfig.json').compilerOptions.paths)
    .filter(([name]) => name.startsWith('passport-clinician'))
    .map(([name, [source]]) => [name.split('/')[1] ?? 'index', source.replace('./', '')]),
);

const settings = {
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
  supported: { 'template-literal': false },
};

function tsc(...args) {
  const bin = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [bin, ...args], { stdio: 'inherit' });
  if (status !== 0) throw new Error('Not built: tsc reports errors (above).');
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The code loads what `imports` in package.json names: the dependency, or a copy for programs that cannot require ES modules. */
const openIDClient = {
  name: 'openid-client',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/openid-client\.js$/ }, () => ({ path: '#openid-client', external: true })),
};

/** @returns the outputs of esbuild: ES modules, which are the only format with chunks. */
async function bundle(outdir) {
  const { outputFiles, metafile } = await build({
    ...settings,
    entryPoints: { ...entries, cli: 'lib/cli/main.ts', 'openid-client': 'lib/authorization-server/openid-client.ts' },
    outdir: join(outdir, 'chunks'),
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'esm',
    splitting: true,
    write: false,
    metafile: true,
    external: Object.keys(manifest.dependencies).filter((name) => name !== 'openid-client'),
    plugins: [embedText, openIDClient],
    // The first one is the argument of createRequire().
    define: { 'import.meta.url': '__filename', FILES_URL: JSON.stringify(filesURL) },
  });
  return outputFiles.map(({ path, text }) => ({ path, text, ...metafile.outputs[relative(root, path)] }));
}

/** Writes the code as CommonJS. It is not minified, so that stack traces are readable. */
async function writeCommonJS({ path, text, entryPoint }) {
  // esbuild exports with accessors. In a chunk that entries share, each use of an export would call two functions.
  const source = entryPoint === undefined ? text.replace(/^export \{([^}]*)\};$/m, assignExports) : text;
  const { code } = await transform(withRequire(withoutComments(source)), {
    ...settings,
    format: 'cjs',
    supported: { ...settings.supported, 'dynamic-import': false }, // jest without configuration has only require()
    logOverride: { 'commonjs-variable-in-esm': 'silent' },
  });
  write(path, code);
}

/** esbuild removes all comments but those of class members, which would be a tenth of the code that a site loads. */
function withoutComments(source) {
  return source.replace(/^ *(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/|\/\/ .*)\n/gm, '');
}

/** Loads a package with the `require` that a CommonJS file has: bundlers find no other one. */
function withRequire(source) {
  return source.replaceAll(/\bcreateRequire\d*\(__filename\)\(/g, 'require(');
}

/** @param names the list of an `export` statement: `one, two as alias` */
function assignExports(_, names) {
  return `module.exports = {${names.replaceAll(/([\w$]+) as ([\w$]+)/g, '$2: $1')}};`;
}

/** Reports an older Node before it finds syntax or functions that it does not have. In a syntax that every Node reads. */
function versionCheck() {
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(manifest.engines.node);
  return `const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  const text = 'passport-clinician needs Node.js ${major}.${minor} or later, and this is ' + process.versions.node + '.';
  throw Object.assign(new Error(text), { code: 'ERR_NODE_VERSION' });
}
`;
}

/** Writes the files that a site loads. They are small, because Node searches a CommonJS file that it imports for its exports. */
function writeEntry(outdir, name, exports) {
  const names = exports.join(', ');
  write(
    join(outdir, `${name}.cjs`),
    `${versionCheck()}const code = require('./chunks/${name}.cjs');\nmodule.exports = code;\n0 && (module.exports = { ${names} });\n`,
  );
  // A default import gets the function that most sites need, or its message.
  const main = name === 'index' ? "export { clinicianLogin as default } from './index.cjs';\n" : '';
  write(join(outdir, `${name}.mjs`), `export { ${names} } from './${name}.cjs';\n${main}`);
  write(join(outdir, `${name}.d.mts`), `export * from './${name}.cjs';\n${main}`);
}

/** Writes the licences of the bundled packages, which must accompany copies of their code. */
function writeLicences(outdir, outputs) {
  const inputs = outputs.flatMap((output) => Object.keys(output.inputs));
  const packages = inputs.map((file) => /^.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  const licences = [...new Set(packages)]
    .filter(Boolean)
    .sort()
    .map((name) => {
      const folder = join('node_modules', name);
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry)) ?? 'Readme.md';
      const { version } = readJSON(join(folder, 'package.json'));
      return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    });
  write(join(outdir, 'LICENSES.txt'), licences.join('\n---\n\n'));
}

/**
 * Builds the reference site for the command `demo`, with the packages that it uses except Express and express-session: copies of
 * these peers would more than double its size, and age with each release. @returns the outputs of esbuild
 */
async function buildDemo(outdir) {
  const { metafile } = await build({
    ...settings,
    entryPoints: { site: 'example-app/src/demo.ts' },
    outdir: join(outdir, 'demo', 'build'),
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    metafile: true,
    external: ['express', 'express-session', 'passport-clinician'],
    define: { 'import.meta.url': 'moduleURL' }, // the base of the paths of its views and public files
    banner: { js: "const moduleURL = require('node:url').pathToFileURL(__filename);" },
  });
  for (const folder of ['views', 'public']) {
    cpSync(join('example-app', folder), join(outdir, 'demo', folder), { recursive: true });
  }
  return Object.values(metafile.outputs);
}

async function loadDeclarationBundler() {
  // rollup-plugin-dts requires `typescript`, and version 7 has no compiler API.
  const typescript = require.resolve('typescript');
  require(typescript);
  require.cache[typescript].exports = require('typescript-6');
  const [{ rollup }, { dts }] = await Promise.all([import('rollup'), import('rollup-plugin-dts')]);
  return { rollup, dts };
}

/** Removes the members of classes that are for other classes of this package, and with them the types that they need. */
const withoutInternalMembers = {
  name: 'without-internal-members',
  transform: (code) => code.replace(/^ +\/\*\*[^/]* @internal\s+\*\/\n +(?:protected |constructor\().*;\n/gm, ''),
};

/** Types the texts of tables, such as the meanings of error codes, as strings: only their names are types of this package. */
const withoutTexts = {
  name: 'without-texts',
  transform: (code) =>
    code.replace(/^(?:export )?declare const \w+: \{\n[\s\S]*?^\};$/gm, (table) =>
      table.replace(/(?<=[:,] )(['"])(?:(?!\1).)* (?:(?!\1).)*\1(?=[;\]])/g, 'string'),
    ),
};

/** Exports as values only the names that the code exports: the others are types, such as a class whose constructor is private. */
function withoutOtherValues(code, values) {
  const exported = [];
  const rest = code.replace(/^export (?:type )?\{ (.*) \};\n/gm, (_, names) => {
    exported.push(...names.split(', '));
    return '';
  });
  const isValue = (name) => values.includes(name.split(' ').at(-1));
  const list = (keyword, names) => (names.length > 0 ? `${keyword} { ${names.join(', ')} };\n` : '');
  return (
    rest +
    list('export', exported.filter(isValue)) +
    list(
      'export type',
      exported.filter((name) => !isValue(name)),
    )
  );
}

/** Writes one declaration file for each entry, and the declarations that entries share. */
async function writeDeclarations(outdir, valuesOf) {
  const { rollup, dts } = await loadDeclarationBundler();
  const emitted = join(outdir, 'types');
  tsc('-p', 'tsconfig.build.json', '--outDir', emitted);
  const source = (file) => join(emitted, file.replace(/^lib\//, '').replace(/\.ts$/, '.d.ts'));
  const bundled = await rollup({
    input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, source(file)])),
    external: /^[^./]/,
    plugins: [withoutInternalMembers, withoutTexts, dts({ tsconfig: false, compilerOptions: { types: [] } })],
  });
  const { output } = await bundled.generate({
    entryFileNames: '[name].d.cts',
    chunkFileNames: ({ name }) => `chunks/${name.replace(/\.d$/, '')}.d.cts`,
    banner: '/// <reference types="node" />',
  });
  rmSync(emitted, { recursive: true });
  for (const { fileName, name, code, isEntry } of output) {
    write(join(outdir, fileName), isEntry ? withoutOtherValues(code, valuesOf(name)) : code);
  }
}

async function buildPackage(outdir) {
  const outputs = await bundle(outdir);
  const exportsOf = (name) => outputs.find(({ entryPoint }) => entryPoint === entries[name]).exports;
  await Promise.all(outputs.map(writeCommonJS));
  for (const name of Object.keys(entries)) writeEntry(outdir, name, exportsOf(name));
  write(join(outdir, 'cli.cjs'), `#!/usr/bin/env node\n${versionCheck()}require('./chunks/cli.cjs');\n`);
  chmodSync(join(outdir, 'cli.cjs'), 0o755);
  writeLicences(outdir, [...outputs, ...(await buildDemo(outdir))]);
  await writeDeclarations(outdir, exportsOf);
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
