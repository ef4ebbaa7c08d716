// src/web → dist/web: the page, its service worker and its parts, with names that change with their content, so that a browser
// may keep them for ever; each also compressed, so that no request waits for that. `index.html` names them.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const common = { bundle: true, minify: true, target: 'es2022', legalComments: 'none', logLevel: 'warning' };

export async function buildWeb(from, to) {
  // What an earlier build left would be in the package, and in what the worker keeps.
  rmSync(join(to, 'assets'), { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const { metafile } = await build({
    ...common,
    entryPoints: { main: join(from, 'main.tsx') },
    outdir: join(to, 'assets'),
    format: 'esm',
    splitting: true,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    metafile: true,
  });
  const made = Object.keys(metafile.outputs).map((name) => basename(name));
  const named = (ext) => made.find((name) => name.startsWith('main-') && name.endsWith(ext));
  // The worker keeps its name: a browser looks for a new one under the old address. It knows what belongs to this build.
  const assets = made.map((name) => `/assets/${name}`);
  await build({
    ...common,
    entryPoints: [join(from, 'worker.ts')],
    outfile: join(to, 'worker.js'),
    format: 'iife',
    define: { ASSETS: JSON.stringify(assets) },
  });
  const page = readFileSync(join(from, 'index.html'), 'utf8')
    .replace('%SCRIPT%', `/assets/${named('.js')}`)
    .replace('%STYLE%', `/assets/${named('.css')}`);
  writeFileSync(join(to, 'index.html'), page);
  const still = join(from, 'static');
  for (const name of readdirSync(still)) writeFileSync(join(to, name), readFileSync(join(still, name)));
  for (const name of readdirSync(to, { recursive: true, encoding: 'utf8' })) compress(join(to, name));
  return Object.fromEntries(made.map((name) => [name, statSync(join(to, 'assets', name)).size]));
}

function compress(file) {
  if (!/\.(js|css|html|svg|webmanifest)$/.test(file)) return;
  const bytes = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
}

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, '..');
  const sizes = await buildWeb(join(root, 'src', 'web'), join(root, 'dist', 'web'));
  for (const [name, size] of Object.entries(sizes)) console.log(`${size}\t${relative(root, name)}`);
}
