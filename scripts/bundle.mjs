// What users install: each program and each door of the library with the files it needs in a few parts, because Node takes
// a third of a millisecond to a millisecond for every file it loads (docs/decisions/055). What is loaded late keeps its name
// and place too; what several need is in `dist/parts`. Which files each of them holds is in `parts/origins.json`.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

const ENTRIES = [
  'index.js',
  'cli/main.js',
  'contract/index.js',
  'contract/schemas.js',
  'testing/index.js',
  'testing/practice/main.js',
];
/** Its process is started for every session. */
const HOST = 'host/main.js';
/** The doors of a room that programs of this tree's tests come in by, whichever of them something loads late. */
const ROOM = ['sessions/index.js', 'sessions/run.js', 'sessions/start.js'];
/** Imported by scripts and tests of this tree. */
const INNER = ['cli/context.js', 'cli/man.js', 'testing/generated.js', 'link/begin.js', ...ROOM];

/** Nothing but code, in hundreds of files: they are in the parts. */
const BROUGHT = ['@xterm/headless', 'commander', 'yaml', 'zod', 'hono', '@hono/node-server', 'uqr'];
/** One without a licence text of its own is of the same project as this one. */
const LICENCE_OF = { '@xterm/headless': '@xterm/xterm' };
/** Native, or with files of their own beside the code: they stay packages. */
const LEFT = ['@lydell/node-pty', 'web-push', 'web-tree-sitter', 'ws'];

/** Comments and indentation would stay in the memory of every host. Short lines and all names: a trace still says where it was. */
const LINE = 160;

/** What is no ES module asks for Node's own modules in this way. */
const REQUIRE = `import { createRequire as forPackages } from 'node:module';\nconst require = forPackages(import.meta.url);`;

/** A file finds its neighbours by its own place, which is not the part's: `@dist@` becomes the way from there. */
const ownPlace = (dist) => ({
  name: 'own-place',
  setup({ onLoad }) {
    // zod's messages in forty languages: we use one, which does not come from here.
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: '' }));
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const own = relative(dist, path);
      if (own.startsWith('..')) return undefined;
      const text = readFileSync(path, 'utf8')
        .replace(/createRequire\(import\.meta\.url\)\('(@xterm\/headless|commander|yaml)'\)/g, "require('$1')")
        .replaceAll('import.meta.url', `new URL('@dist@/${own}', import.meta.url).href`);
      return { contents: text };
    });
  },
});

/** Every file that some other one loads when it is wanted. */
const loadedLate = (dist, files) =>
  files.flatMap((name) => {
    const found = readFileSync(join(dist, name), 'utf8').matchAll(/\bimport\('(\.[^']+\.js)'\)/g);
    return [...found].map(([, path]) => join(dirname(name), path));
  });

/** `parts`: where what several of the entries need goes. */
const put = async (dist, entries, parts) =>
  build({
    entryPoints: [...entries].sort().map((name) => join(dist, name)),
    absWorkingDir: dist,
    outdir: dist,
    outbase: dist,
    chunkNames: `${parts}/[hash]`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: LEFT,
    banner: { js: REQUIRE },
    plugins: [ownPlace(dist)],
    minifyWhitespace: true,
    lineLimit: LINE,
    metafile: true,
    write: false,
    logLevel: 'warning',
  });

export async function bundle(dist) {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const entries = new Set([...ENTRIES, ...INNER, ...loadedLate(dist, files)]);
  // There are many hosts at once, and each module and each import between two of them costs memory: their parts are theirs alone.
  const built = await Promise.all([put(dist, entries, 'parts'), put(dist, [HOST], 'parts/host')]);
  for (const name of files) rmSync(join(dist, name));
  mkdirSync(join(dist, 'parts', 'host'), { recursive: true });
  for (const { path, text } of built.flatMap(({ outputFiles }) => outputFiles)) {
    writeFileSync(path, text.replaceAll('@dist@', relative(dirname(path), dist) || '.'));
  }
  const outputs = Object.assign({}, ...built.map(({ metafile }) => metafile.outputs));
  const sizes = (inputs) =>
    Object.fromEntries(Object.entries(inputs).map(([file, { bytesInOutput }]) => [file, bytesInOutput]));
  const origins = Object.entries(outputs).map(([part, { inputs }]) => [part, sizes(inputs)]);
  writeFileSync(join(dist, 'parts', 'origins.json'), JSON.stringify(Object.fromEntries(origins)));
  const licences = BROUGHT.map((name) => {
    const file = join(dist, '../node_modules', LICENCE_OF[name] ?? name, 'LICENSE');
    return `${name}\n\n${readFileSync(file, 'utf8')}`;
  });
  writeFileSync(join(dist, 'parts', 'LICENSES.txt'), licences.join('\n'));
}
