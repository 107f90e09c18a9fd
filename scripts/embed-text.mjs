// Browser scripts and style sheets are files in folders named `browser`. A module imports one as text,
// `import script from './browser/client.js?text'`: the file with everything that it imports, as one script or style sheet.
// The build does this with an esbuild plugin, jest with a transformer. Both use the same options.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, buildSync } from 'esbuild';

const lib = fileURLToPath(new URL('../lib', import.meta.url));

/** Configures a classic script that adds no global name to the page, as small as possible. */
const buildOptions = (file) => ({
  entryPoints: [file],
  bundle: true,
  write: false,
  format: 'iife',
  minify: true,
  logLevel: 'silent',
});

/** @type {import('esbuild').Plugin} */
export const embedText = {
  name: 'embed-text',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\?text$/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path.replace(/\?text$/, '')),
      namespace: 'text',
    }));
    onLoad({ filter: /.*/, namespace: 'text' }, async ({ path }) => {
      const { outputFiles } = await build(buildOptions(path));
      return { contents: outputFiles[0].text, loader: 'text' };
    });
  },
};

/**
 * Returns Jest's cache key. A text depends on every file that it imports, so it is transformed again when any of them has
 * changed.
 */
function getCacheKey(_source, file) {
  const hash = createHash('sha256')
    .update(file)
    .update(readFileSync(fileURLToPath(import.meta.url)));
  for (const name of readdirSync(lib, { recursive: true }).sort()) {
    if (/\bbrowser[\\/][^\\/]+\.(?:js|css)$/.test(name)) hash.update(name).update(readFileSync(join(lib, name)));
  }
  return hash.digest('hex');
}

/** The transformer: see `transform` in jest.config.mjs. */
export default {
  getCacheKey,
  process: (_source, file) => ({
    code: `export default ${JSON.stringify(buildSync(buildOptions(file)).outputFiles[0].text)};\n`,
  }),
};
