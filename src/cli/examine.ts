/**
 * What `reins doctor` looks at, one function per organ. Nothing here throws: whatever is broken is the finding. The
 * terminal is really opened and the state directory really written, because asking for permissions misleads.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { type Adapter, adapters, Detector, type FoundAgent, isFound } from '../adapters/index.js';
import { adapterSettings, type Config } from '../config/index.js';
import { asReinsError, systemClock } from '../contract/index.js';
import { forget, makeDir, stateDir } from '../disk/index.js';
import { livingPlaces, type StartPlace, specOf } from '../sessions/index.js';
import { agentNote, customOf, defaultConfig, partLines, readSettings, untrustedParts } from '../sessions/run.js';
import { startProcess } from '../terminal/index.js';
import { doorsOf } from './agent-doors.js';
import type { DoctorReport } from './output-schemas.js';

export type Report = z.infer<typeof DoctorReport>;
type Trial = Report['pty'];

/** Longer than any machine needs to run `true`; then the terminal hangs, and that is the finding. */
const PTY_WAIT_MS = 5000;
/** As package.json has it. */
const OLDEST_NODE = [20, 19] as const;

export function examineNode(version: string): Report['node'] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const ok = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return { version, ok, ...(ok ? {} : { reason: `Reins needs Node ${OLDEST_NODE.join('.')} or newer` }) };
}

/** Contract: never throws, never hangs; the process it starts is gone afterwards. */
export async function examinePty(env: StartPlace['env']): Promise<Trial> {
  const started = await startProcess({
    command: 'true',
    args: [],
    cwd: '/',
    env: { PATH: env.PATH ?? '/usr/bin:/bin' },
    io: 'pty',
    size: { cols: 80, rows: 24 },
    stdin: 'closed',
  });
  if (!started.ok) return { ok: false, reason: started.reason };
  const { proc } = started;
  let cancel = (): void => undefined;
  const late = new Promise<Trial>((resolve) => {
    cancel = systemClock.after(PTY_WAIT_MS, () =>
      resolve({ ok: false, reason: `no end within ${PTY_WAIT_MS / 1000} s` }),
    );
  });
  const ended = proc.exited.then(({ code, signal }): Trial => {
    if (proc.fellBack !== undefined) return { ok: false, reason: `${proc.fellBack}; agents get pipes instead` };
    return code === 0 ? { ok: true } : { ok: false, reason: `\`true\` ended with ${signal ?? code}` };
  });
  try {
    return await Promise.race([ended, late]);
  } finally {
    cancel();
    proc.close();
  }
}

/** One block of any disk. */
const PROBE_BYTES = 4096;

export function examineState(env: StartPlace['env']): Report['state'] {
  const dir = stateDir(env);
  const probe = join(dir, `.doctor-${process.pid}`);
  try {
    makeDir(dir);
    // With content: a full disk still takes names.
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES), { mode: 0o600, flag: 'wx' });
    return { dir, ok: true };
  } catch (error) {
    return { dir, ok: false, reason: (error as Error).message };
  } finally {
    forget(probe);
  }
}

/** Sessions whose host died without saying goodbye. */
export function examineHosts(env: StartPlace['env']): Report['stale_hosts'] {
  try {
    return livingPlaces(env).flatMap((place) => {
      if (!place.host || place.alive) return [];
      const mode = specOf(place)?.mode;
      return [{ session: place.id, pid: place.host.pid, ...(mode === undefined ? {} : { mode }) }];
    });
  } catch {
    return []; // the state directory cannot be read: its own line says so
  }
}

export interface ConfigFound {
  report: Report['config'];
  /** What is in force; the defaults where the files are broken. */
  config: Config;
}

export function examineConfig(where: StartPlace): ConfigFound {
  try {
    const settings = readSettings(where);
    const files = settings.loaded.files.map((file) => file.name);
    const untrusted = partLines(untrustedParts(where, settings)).map((line) => line.trim());
    return { report: { ok: true, files, untrusted }, config: settings.loaded.config };
  } catch (error) {
    const report = { ok: false, reason: asReinsError(error).message, files: [], untrusted: [] };
    return { report, config: defaultConfig() };
  }
}

/** Every agent Reins looks for, and the custom one where it is configured. */
export async function examineAgents(where: StartPlace, config: Config, reins: string): Promise<Report['agents']> {
  const { command } = config.cli;
  const detector = new Detector({
    env: where.env,
    cwd: where.cwd,
    ...(command === undefined ? {} : { customCommand: command }),
  });
  try {
    const wanted = adapters.filter(
      ({ id, priority }) => priority !== undefined || (id === 'custom' && command !== undefined),
    );
    const looks = wanted.map((adapter) => examineAgent(adapter, { detector, config, env: where.env, reins }));
    return await Promise.all(looks);
  } finally {
    detector.close();
  }
}

async function examineAgent(
  adapter: Adapter,
  by: { detector: Detector; config: Config; env: StartPlace['env']; reins: string },
): Promise<Report['agents'][number]> {
  const { id, label, install } = adapter;
  const found = await by.detector.one(id);
  const version = isFound(found) && found.version !== '' ? { version: found.version } : {};
  const noted = (one: FoundAgent) => {
    const note = agentNote({ env: by.env, version: by.reins }, one);
    return note ? { note: note.text } : {};
  };
  return {
    id,
    label,
    enabled: adapterSettings(by.config, id).enabled,
    ...(isFound(found) ? { path: found.path, ...version, ...noted(found) } : { missing: found.reason }),
    install,
    doors: doorsOf(adapter, { custom: customOf(by.config), ...version }),
  };
}
