/**
 * Sessions that are started from a page: in a folder of this machine, with the environment of the user's login shell, and nobody
 * tied to them. A host leads a session of its own and has nothing of the hub but its parent, so it outlives the hub and its
 * process group. What a folder brings along is followed only where its person said yes, having read it, and that is written down.
 */
import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { adapters, findOne, isFound } from '../adapters/index.js';
import { asReinsError, type Log, ReinsError } from '../contract/index.js';
import type { RouteArgs, RouteResult } from '../contract/page.js';
import { placeOf } from '../link/index.js';
import { specOf, tellAs, type Where, whenLeft } from '../sessions/index.js';
import {
  type AgentTask,
  continueSession,
  isGranted,
  loginWhere,
  planText,
  readySession,
  type StartPorts,
  startSession,
  wishedSession,
} from '../sessions/run.js';
import { checkCwd, UNSEEN } from '../sessions/start.js';
import type { KnownDevice } from './device-files.js';
import { type HubHandlers, stillIn } from './handlers.js';
import type { DoneOnce } from './once.js';
import { inScope, ownNamespace } from './scope.js';
import { ShownParts } from './shown-parts.js';
import type { Watching } from './watching.js';

export interface StartingPorts {
  where: Where;
  log: Log;
  watching: Watching;
  once: DoneOnce;
}

/** In a session's start facts: where its starter sat. */
const SEAT = { ...UNSEEN, presence: { present: false, reason: 'web' } };
const MOST_FOLDERS = 30;

type NewArgs = Omit<RouteArgs<'start'>, 'key'>;

export function startingDeeds(
  ports: StartingPorts,
): Pick<HubHandlers, 'start' | 'plan' | 'continue' | 'agents' | 'folders'> {
  const { where, log, watching, once } = ports;
  /** Captured at the first start, then kept. Sessions go where this hub looks for them, whatever the shell says. */
  const there = async (): Promise<Where> => {
    const login = await loginWhere(where, { log });
    return { ...login, env: { ...login.env, XDG_STATE_HOME: where.env.XDG_STATE_HOME } };
  };
  const shown = new ShownParts();
  return {
    start: ({ device, args, signal }) =>
      once.run({ device: device.id, what: 'start', key: args.key }, async () => {
        // Known over a restart of the hub too: its memory is not all there is.
        const wish = wishOf(device, args.key);
        const before = await wishedSession(where, wish);
        if (before) return { id: before.id };
        const login = await there();
        stillIn(signal);
        const { place } = await startSession(login, { ...taskOf(device, args), wish }, SEAT, {
          ports: saying(ports, device, args.follow === true ? shown : undefined),
        });
        log.log('info', 'started from a page', { session: place.id, device: device.id });
        return { id: place.id };
      }),
    plan: async ({ device, args }) =>
      planned(await there(), taskOf(device, args), { shown, device, follow: args.follow === true }),
    continue: ({ device, args, place, signal }) =>
      once.run({ device: device.id, what: `continue ${place.id}`, key: args.key }, async () => {
        const { prompt, key, share_folder: shareFolder = false } = args;
        // A loop is given a new prompt; whoever is spoken with is told it, once it listens.
        const isLoop = specOf(place)?.mode === 'autonomous';
        const wish = wishOf(device, key);
        const ask = { wish, shareFolder, ...(isLoop && prompt !== undefined ? { prompt } : {}) };
        const isDone = await isGranted(where, place, wish);
        if (watching.rows.get(place.id)?.state === 'ended') await whenLeft(where, place.id);
        const login = await there();
        stillIn(signal);
        if (!isDone) await continueSession(login, place, SEAT, { ask, ports: saying(ports, device, undefined) });
        watching.continued(place.id);
        const now = placeOf(where.env, place.id);
        const as = { may: device.right, device: device.name };
        // The host knows the key: also after a hub that was killed in between, it is told once.
        if (!isLoop && prompt !== undefined && now.alive)
          await tellAs(where, now, as, 'message', { text: prompt, key });
        log.log('info', 'continued from a page', { session: place.id, device: device.id });
        return { id: place.id };
      }),
    agents: async () => {
      const { env, cwd } = await there();
      return agentsOf({ env, cwd });
    },
    folders: async ({ device, args }) => {
      if (args.path !== undefined) return [checked(args.path)];
      await watching.ready;
      const rows = [...watching.rows.values()].filter((row) => inScope(device, row));
      rows.sort((a, b) => b.started_at.localeCompare(a.started_at));
      const recent = [...new Set(rows.map(({ cwd }) => cwd))].slice(0, MOST_FOLDERS);
      return recent.map((path) => ({ ...checked(path), recent: true }));
    },
  };
}

function taskOf(device: KnownDevice, args: NewArgs): AgentTask {
  const { cwd, prompt, agent, mode, trust, name, max_iterations, max_cost_usd, max_runtime_seconds } = args;
  const set = Object.entries({ max_iterations, max_cost_usd, max_runtime_seconds }).flatMap(([key, value]) =>
    value === undefined ? [] : [`event_loop.${key}=${value}`],
  );
  return {
    cwd: folder(cwd),
    namespace: ownNamespace(device),
    shareFolder: args.share_folder === true,
    ...(prompt === undefined ? {} : { prompt }),
    ...(agent === undefined ? {} : { backend: agent }),
    ...(mode === undefined ? {} : { mode }),
    ...(trust === undefined ? {} : { trust }),
    ...(name === undefined || name === '' ? {} : { name }),
    ...(set.length === 0 ? {} : { set }),
  };
}

/** As a person writes it: from the root, or from home. */
function folder(path: string): string {
  const home = path === '~' || path.startsWith('~/') ? resolve(homedir(), path.slice(2)) : path;
  if (isAbsolute(home)) return resolve(home);
  throw new ReinsError('CWD_INACCESSIBLE', { dir: path, reason: 'it does not begin with / or ~' });
}

/** Keys are made by devices, so they are theirs. */
const wishOf = (device: KnownDevice, key: string): string => `${device.id} ${key}`;

/** A yes of a person who read what it permits; without one, nobody is there to be asked. */
function saying({ log }: StartingPorts, device: KnownDevice, read: ShownParts | undefined): StartPorts {
  const agreed = async (what: string, lines: string[]) => {
    // A yes is one to what was shown: the files may have changed since.
    if (!read?.has(device, what, lines)) return undefined;
    const facts = { device: device.id, what, lines: lines.join('; ') };
    log.log('warn', 'a page said yes to what a folder brings along', facts);
    return true;
  };
  return {
    tell: (line) => log.log('info', 'told at a start', { device: device.id, line }),
    mayKnow: (session) => inScope(device, session),
    ...(read ? { mayFollow: agreed, mayStart: agreed } : {}),
  };
}

/** What would run, to the letter; or what stands in the way, with what it would permit. Nothing is written down. */
async function planned(
  there: Where,
  task: AgentTask,
  { shown, device, follow }: { shown: ShownParts; device: KnownDevice; follow: boolean },
): Promise<RouteResult<'plan'>> {
  const needs: string[] = [];
  const notes: string[] = [];
  const looking: StartPorts = {
    looks: true,
    tell: (line) => notes.push(line),
    // Asked and not answered: what would be asked is what is shown.
    mayFollow: async (file, permits) => {
      if (follow) return true;
      shown.add(device, file, permits);
      needs.push(`${file} came with this folder and permits:`, ...permits);
      return undefined;
    },
    // It starts without these; the notes say so.
    mayStart: async () => undefined,
  };
  try {
    const { spec, plan } = await readySession(there, task, { seat: { ...SEAT, terminal: true }, ports: looking });
    return { text: planText(spec, plan), ...(notes.length === 0 ? {} : { notes }) };
  } catch (error) {
    const { code, message, hint } = asReinsError(error);
    if (needs.length === 0 || code !== 'FOLDER_UNTRUSTED') throw error;
    return { text: `${message}\n${hint}\n`, needs };
  }
}

async function agentsOf({ env, cwd }: Pick<Where, 'env' | 'cwd'>): Promise<RouteResult<'agents'>> {
  const known = adapters.filter(({ id }) => id !== 'custom');
  return Promise.all(
    known.map(async ({ id, install, label }) => {
      const one = await findOne(id, { env, cwd });
      if (isFound(one)) return { id, found: true, ...(one.version ? { version: one.version } : {}) };
      return { id, found: false, ...(install ? { install } : {}), note: `${label}: ${one.reason}` };
    }),
  );
}

function checked(path: string): RouteResult<'folders'>[number] {
  try {
    const at = folder(path);
    checkCwd(at);
    return { path: at, ok: true };
  } catch (error) {
    return { path, ok: false, why: asReinsError(error).message };
  }
}
