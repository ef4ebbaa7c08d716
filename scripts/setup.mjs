// Brings a fresh clone to a working state, and does nothing twice: installs when the lock file changed,
// builds when a source changed. `npm start` and `npm test` call it; nothing else has to be run by hand.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamps = join(root, 'node_modules', '.reins');

const digest = (...chunks) => chunks.reduce((h, c) => h.update(c), createHash('sha256')).digest('hex');
const read = (name) => (existsSync(name) ? readFileSync(name, 'utf8') : '');
/** What it had to say, it said: its failure is ours, without a stack of our own. */
function run(cmd, args) {
  try {
    execFileSync(cmd, args, { cwd: root, stdio: ['ignore', 2, 2] });
  } catch (error) {
    if (error.code === 'ENOENT')
      console.error(`${cmd} was not found: install Node with npm, or see whether PATH names it`);
    // A Ctrl-C reaches npm too; begun again, an install that was cut short is done anew.
    process.exit(error.signal === 'SIGINT' ? 130 : (error.status ?? 1));
  }
}

function once(name, key, work) {
  const file = join(stamps, name);
  if (read(file) === key) return;
  work();
  mkdirSync(stamps, { recursive: true });
  writeFileSync(file, key);
}

const lock = digest(read(join(root, 'package-lock.json')));
if (!existsSync(join(root, 'node_modules', 'typescript', 'bin', 'tsc')) || read(join(stamps, 'install')) !== lock) {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  once('install', lock, () => run('npm', ['ci', ...quiet]));
}

if (process.argv.includes('--build')) {
  const sources = ['src', 'scripts']
    .flatMap((dir) => readdirSync(join(root, dir), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  const key = digest(lock, ...sources.flatMap((file) => [file, readFileSync(file)]));
  const built = existsSync(join(root, 'dist', 'cli', 'main.js'));
  if (!built || read(join(stamps, 'build')) !== key) {
    mkdirSync(stamps, { recursive: true });
    // Half a build is none.
    writeFileSync(join(stamps, 'build'), '');
    run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
    writeFileSync(join(stamps, 'build'), key);
  }
}
