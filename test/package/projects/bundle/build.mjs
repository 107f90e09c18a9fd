// Bundles the site with each bundler, into the folder of the argument.
import { join } from 'node:path';
import commonjs from '@rollup/plugin-commonjs';
import json from '@rollup/plugin-json';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import * as esbuild from 'esbuild';
import { rollup } from 'rollup';
import * as vite from 'vite';

const input = 'site.mjs';
const folder = process.argv[2];

const plugins = [nodeResolve({ preferBuiltins: true, exportConditions: ['node'] }), commonjs(), json()];
const onLog = (_level, { code, message }) => {
  if (code === 'UNRESOLVED_IMPORT') throw new Error(message);
};
const bundle = await rollup({ input, plugins, onLog });
await bundle.write({ file: join(folder, 'rollup.mjs'), format: 'es', inlineDynamicImports: true });

const minified = { entryPoints: [input], bundle: true, minify: true, platform: 'node', target: 'node20.19' };
await esbuild.build({ ...minified, outfile: join(folder, 'esbuild.cjs'), format: 'cjs' });

await vite.build({
  configFile: false,
  logLevel: 'error',
  ssr: { noExternal: true },
  build: {
    ssr: input,
    outDir: folder,
    emptyOutDir: false,
    rolldownOptions: { output: { entryFileNames: 'vite.mjs' } },
  },
});
