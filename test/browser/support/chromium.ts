/**
 * The browser of the tests: a Chromium or Chrome of this machine if there is one, else the one that comes with the registry's
 * package, unpacked once beside the other things of this checkout. Nobody has to install anything.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { until } from '../../journeys/support/wait.js';

const ROOT = join(import.meta.dirname, '../../..');
const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--force-color-profile=srgb',
];

interface Found {
  file: string;
  env: Record<string, string>;
}

function ofThisMachine(): Found | undefined {
  const named = process.env.REINS_CHROMIUM;
  if (named !== undefined) return { file: named, env: {} };
  for (const name of NAMES)
    for (const dir of (process.env.PATH ?? '').split(delimiter)) {
      const file = join(dir, name);
      if (existsSync(file)) return { file, env: {} };
    }
  return undefined;
}

/** 200 MB of compressed program, on a machine that has other things to do. */
const UNPACK_MS = 120_000;

/** It unpacks into the folder for temporary files, without a lock: so into one of our own, which then gets its name at once. */
const UNPACK = `
const { default: packed } = await import('@sparticuz/chromium');
await packed.executablePath();
`;

async function unpacked(): Promise<Found> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/@sparticuz/chromium/package.json'), 'utf8')) as {
    version: string;
  };
  const folder = join(ROOT, 'node_modules/.reins');
  const home = join(folder, `chromium-${version}`);
  if (!existsSync(home)) {
    mkdirSync(folder, { recursive: true });
    const lock = join(folder, 'chromium-unpacking');
    const who = () => existsSync(home) || claimed(lock);
    const mine = await until('who unpacks the browser', who, () => lock, UNPACK_MS);
    if (mine === 'claimed') {
      try {
        if (!existsSync(home)) await unpack(folder, home);
      } finally {
        rmSync(lock, { recursive: true, force: true });
      }
    }
  }
  const fonts = { FONTCONFIG_PATH: join(home, 'fonts'), HOME: home };
  const lacks = execFileSync('ldd', [join(home, 'chromium')], { encoding: 'utf8' }).includes('not found');
  return {
    file: join(home, 'chromium'),
    env: lacks ? { ...fonts, LD_LIBRARY_PATH: join(home, 'al2023/lib') } : fonts,
  };
}

function claimed(lock: string): 'claimed' | false {
  try {
    mkdirSync(lock);
    return 'claimed';
  } catch {
    return false; // somebody else does it
  }
}

async function unpack(folder: string, home: string): Promise<void> {
  const made = mkdtempSync(join(folder, 'chromium-new-'));
  // As on the system it was packed for, so that its libraries come along for machines without them.
  const env = { ...process.env, TMPDIR: made, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' };
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', UNPACK], { cwd: ROOT, env });
  // Its own list of fonts names a place where they are not; those of the system come first.
  const dirs = ['/usr/share/fonts', '/usr/local/share/fonts', join(home, 'fonts/fonts')];
  const list = dirs.map((dir) => `<dir>${dir}</dir>`).join('');
  const cache = `<cachedir>${join(home, 'font-cache')}</cachedir>`;
  writeFileSync(join(made, 'fonts/fonts.conf'), `<?xml version="1.0"?><fontconfig>${list}${cache}</fontconfig>`);
  renameSync(made, home);
}

/** One for a whole file of tests; pages share it, each in a context of its own. */
export async function openBrowser(): Promise<Browser> {
  const { file, env } = ofThisMachine() ?? (await unpacked());
  const own = Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  return chromium.launch({ executablePath: file, args: FLAGS, env: { ...own, ...env } });
}
