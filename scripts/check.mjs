// Lint, types and dead code, side by side: each leaves a processor idle for a part of its time. What passes says nothing;
// what fails says all it has to say, one after the other.
import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const CHECKS = [['knip'], ['biome', 'check', '.'], ['tsc', '--noEmit'], ['tsc', '-p', 'tsconfig.web.json']];

function run([program, ...args]) {
  const env = { ...process.env, PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter) };
  const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ failed: true, said: `${error.message}\n` }));
    child.once('close', (code) => resolve({ failed: code !== 0, said: Buffer.concat(said).toString('utf8') }));
  });
}

const results = await Promise.all(CHECKS.map(run));
for (const [at, { failed, said }] of results.entries()) {
  if (failed) process.stderr.write(`\n${CHECKS[at].join(' ')} failed:\n${said}`);
}
process.exitCode = results.some(({ failed }) => failed) ? 1 : 0;
