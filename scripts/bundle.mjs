// What users install: each program and each door of the library with the files it needs in a few parts, because Node takes
// a third of a millisecond to a millisecond for every file it loads. Which files a part holds is in `parts/origins.json`;
// the files tsc made stay beside it for our own scripts and tests, and are not packed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';

const ENTRIES = [
  'index',
  'cli/main',
  'host/main',
  'contract/index',
  'contract/schemas',
  'testing/index',
  'testing/practice/main',
];

/**
 * A file finds its neighbours by its own place, which is not the part's: it asks a part of its own, whose place is known.
 * A program's own file stays where it is.
 */
const PLACE = "export const placeOf = (file) => new URL('../' + file, import.meta.url).href;\n";

const ownPlace = (dist) => ({
  name: 'own-place',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const own = relative(dist, path);
      const text = readFileSync(path, 'utf8');
      const stays = own.startsWith('..') || own.startsWith('parts') || ENTRIES.includes(own.replace(/\.js$/, ''));
      if (stays || !text.includes('import.meta.url')) return undefined;
      const head = `import { placeOf as __placeOf } from ${JSON.stringify(join(dist, 'parts', 'place.js'))};\n`;
      return { contents: head + text.replaceAll('import.meta.url', `__placeOf(${JSON.stringify(own)})`), loader: 'js' };
    });
  },
});

export async function bundle(dist) {
  mkdirSync(join(dist, 'parts'));
  writeFileSync(join(dist, 'parts', 'place.js'), PLACE);
  const { metafile } = await build({
    entryPoints: Object.fromEntries([...ENTRIES, 'parts/place'].map((name) => [name, join(dist, `${name}.js`)])),
    outdir: dist,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    chunkNames: 'parts/[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    metafile: true,
    absWorkingDir: dist,
    plugins: [ownPlace(dist)],
    logLevel: 'warning',
  });
  const origins = Object.entries(metafile.outputs).map(([part, { inputs }]) => [part, Object.keys(inputs)]);
  writeFileSync(join(dist, 'parts', 'origins.json'), JSON.stringify(Object.fromEntries(origins)));
}
