// src → dist: tsc file by file, what tsc does not copy, then the programs and doors put together (docs/decisions/055).
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { buildWeb } from './web.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => join(root, ...parts);

rmSync(at('dist'), { recursive: true, force: true });
execFileSync(process.execPath, [at('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: ['ignore', 2, 2],
});

// The bash grammar ships as wasm inside our package, so that users never build the native grammar.
const grammar = at('node_modules', 'tree-sitter-bash', 'tree-sitter-bash.wasm');
if (existsSync(grammar)) {
  mkdirSync(at('dist', 'policy'), { recursive: true });
  copyFileSync(grammar, at('dist', 'policy', 'tree-sitter-bash.wasm'));
}
// The schema's defaults as data, for commands that must start fast (src/config/quick.ts).
const { loadConfig } = await import(at('dist', 'config', 'index.js'));
const { config } = loadConfig({ cwd: '/', env: { HOME: at('dist'), XDG_CONFIG_HOME: at('dist') } });
writeFileSync(at('dist', 'config', 'defaults.json'), JSON.stringify(config));

await bundle(at('dist'));
await buildWeb(at('src', 'web'), at('dist', 'web'));

for (const bin of ['cli/main.js', 'hook/main.cjs', 'host/main.js']) {
  const file = at('dist', bin);
  if (existsSync(file)) chmodSync(file, 0o755);
}
