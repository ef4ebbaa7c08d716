/**
 * `reins init`: a small commented reins.yml to start from, trusted because the user asked for it; with `--trust` alone
 * the file that is there, after saying what it permits. Nothing is replaced without `--force`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adapterNamed, Detector, type FoundAgent } from '../../adapters/index.js';
import { initText, PRESETS, type Preset, permissiveParts, trustFile } from '../../config/index.js';
import { ReinsError } from '../../contract/index.js';
import type { StartPlace } from '../../sessions/index.js';
import { insideSession, refuseInside } from '../../sessions/inside.js';
import { checkBuiltIn, partLines, readSettings, trustFolder } from '../../sessions/run.js';
import type { Context } from '../context.js';

export interface InitFlags {
  agent?: string;
  preset?: string;
  force?: boolean;
  trust?: boolean;
}

const TASK = 'reins run "fix the failing test"';

export async function init(context: Context, flags: InitFlags): Promise<number> {
  const makesFile = flags.agent !== undefined || flags.preset !== undefined || flags.force === true;
  if (flags.trust && !makesFile) return trustExisting(context);
  const preset = presetOf(flags.preset);
  checkAgent(flags.agent);
  checkFree(context, flags);
  const found = flags.agent === undefined ? await detectAgent(context) : undefined;
  const { channels } = context;
  if (found) channels.chrome(`found ${adapterNamed(found.adapter)?.label ?? found.adapter} ${found.version}`);
  else if (flags.agent === undefined)
    channels.chrome('no agent found: the file says auto; `reins doctor` shows how to get one');
  const file = writeConfig(context, { ...flags, preset, agent: flags.agent ?? found?.adapter ?? 'auto' });
  channels.chrome(`wrote ${file}`);
  if (flags.agent === 'custom') channels.chrome('the custom backend needs a program: set cli.command');
  if (insideSession(context))
    channels.chrome('not trusted: this shell belongs to a session; run `reins init --trust` yourself');
  else trustFile({ env: context.env, file });
  const next = preset === 'default' ? TASK : `reins config check · reins hats graph · ${TASK}`;
  channels.chrome(`next: ${next}`);
  return 0;
}

function trustExisting(context: Context): number {
  refuseInside(context, 'trust a file', 'run `reins init --trust` from a terminal of your own');
  const settings = readSettings(context);
  const { project } = settings.loaded;
  if (!project) {
    throw new ReinsError('USAGE', {
      problem: 'there is no reins.yml or ralph.yml here or above',
      fix: 'write one with `reins init`',
    });
  }
  const parts = permissiveParts(settings.loaded);
  const { channels } = context;
  channels.chrome(
    parts.length === 0 ? `${project.name} permits nothing beyond the defaults` : `${project.name} permits:`,
  );
  for (const line of partLines(parts)) channels.chrome(line);
  trustFolder(context, settings);
  channels.chrome(`trusted ${project.file} as it is now; a change must be trusted anew`);
  return 0;
}

function presetOf(asked: string | undefined): Preset {
  const preset = PRESETS.find((name) => name === (asked ?? 'default'));
  if (preset) return preset;
  throw new ReinsError('USAGE', { problem: `--preset ${asked} is not known`, fix: `use ${PRESETS.join(', ')}` });
}

function checkAgent(agent: string | undefined): void {
  if (agent !== undefined) checkBuiltIn(agent);
}

/** Before anything is looked for: a reins.yml would be replaced, a ralph.yml would silently stop counting. */
export function checkFree(where: Pick<StartPlace, 'cwd'>, flags: Pick<InitFlags, 'force'>): void {
  if (!existsSync(where.cwd)) throw new ReinsError('CWD_INACCESSIBLE', { dir: where.cwd, reason: 'it does not exist' });
  if (flags.force) return;
  if (existsSync(join(where.cwd, 'reins.yml'))) {
    throw new ReinsError('USAGE', {
      problem: 'there is a reins.yml here already',
      fix: 'trust it with `reins init --trust`, or replace it with --force',
    });
  }
  if (existsSync(join(where.cwd, 'ralph.yml'))) {
    throw new ReinsError('USAGE', {
      problem: 'there is a ralph.yml here, and with a reins.yml it would no longer be read',
      fix: 'move it with `reins config migrate --write`, or start anew with --force',
    });
  }
}

/** Contract: returns the absolute path of what was written, or throws USAGE. */
export function writeConfig(
  where: Pick<StartPlace, 'cwd'>,
  choice: { agent: string; preset: Preset; force?: boolean },
): string {
  const file = join(where.cwd, 'reins.yml');
  const tests = testCommand(where.cwd);
  const text = initText({
    agent: choice.agent,
    preset: choice.preset,
    ...(tests === undefined ? {} : { testCommand: tests }),
  });
  try {
    writeFileSync(file, text, { flag: choice.force ? 'w' : 'wx' });
  } catch (error) {
    const reason = (error as Error).message;
    throw new ReinsError('USAGE', {
      problem: `${file} cannot be written: ${reason}`,
      fix: 'go to a folder you can write',
    });
  }
  return file;
}

/** How this project is tested, where that is plain; it becomes the gate of the loop. */
export function testCommand(cwd: string): string | undefined {
  const script = npmTest(join(cwd, 'package.json'));
  // What `npm init` writes always fails: as a gate it would never let anything through.
  if (script !== undefined && !script.includes('no test specified')) return 'npm test';
  if (existsSync(join(cwd, 'Cargo.toml'))) return 'cargo test';
  if (existsSync(join(cwd, 'go.mod'))) return 'go test ./...';
  return undefined;
}

function npmTest(file: string): string | undefined {
  try {
    const script: unknown = JSON.parse(readFileSync(file, 'utf8'))?.scripts?.test;
    return typeof script === 'string' ? script : undefined;
  } catch {
    return undefined; // no package.json, or none that npm could read either
  }
}

async function detectAgent(where: StartPlace): Promise<FoundAgent | undefined> {
  const detector = new Detector({ env: where.env, cwd: where.cwd });
  try {
    return (await detector.first()).found;
  } finally {
    detector.close();
  }
}
