/**
 * The config of a session that goes on: its files as they are now, under the words it was started with and the new ones.
 * Between then and now an agent worked in that folder, and may have written into the file what it would like: so what a
 * changed file permits beyond what was followed so far, and what it no longer holds back, takes the user's word again,
 * wherever the file came from. A file that is as it was needs nothing.
 */
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isTrusted } from '../config/index.js';
import { ReinsError } from '../contract/index.js';
import type { SessionSpec, StartWords } from '../host/index.js';
import { leavesOf, shownAt } from './changes.js';
import { checkTrustInside, insideSession, refuseInside } from './inside.js';
import { capInside } from './inside-settings.js';
import type { StartPorts } from './ports.js';
import { saidAgain, speaksOf } from './said.js';
import { agreedTo, partLines, permittedBy, trustFolder } from './settings.js';
import { checkedSettings, type RunAsk, type RunSettings } from './settings-run.js';
import type { StartPlace } from './where.js';

export interface AgainAsk {
  /** With `said`: an older build did not keep what it was started with. */
  old: SessionSpec & { said: StartWords };
  ask: RunAsk;
  ports: StartPorts;
}

/** Contract: throws CONFIG_INVALID, CONFIG_EDITED, and USAGE for what an agent may not ask for; then nothing has changed. */
export async function settingsAgain(where: StartPlace, again: AgainAsk): Promise<RunSettings> {
  return capInside(where, await agreedSettings(where, again));
}

async function agreedSettings(where: StartPlace, { old, ask, ports }: AgainAsk): Promise<RunSettings> {
  const settings = checkedSettings(where, saidAgain(old.said, ask));
  checkTrustInside(where, settings.trust);
  if (ask.trustFolder)
    refuseInside(where, 'trust a file', 'go on without --trust-folder, or from a terminal of your own');
  const isOther = isChanged(old.said, settings);
  if (isOther) for (const line of standing(settings, ask)) ports.tell(line);
  const lines = [...newParts(old.said, settings), ...(isOther ? lifted(old, settings) : [])];
  // A file that is named now is the user's word, as at a start; so is one that was trusted as it is now.
  if (lines.length === 0 || ask.config !== undefined || (isOther && isTrustedNow(where, settings))) return settings;
  const name = settings.loaded.project?.name ?? basename(old.said.file!.path);
  if (ask.trustFolder) {
    ports.tell(`--trust-folder: ${name} is followed as it is now. It says:`);
    for (const line of lines) ports.tell(line);
    return settings;
  }
  // An agent's own shell has a terminal too.
  const mayFollow = insideSession(where) ? undefined : ports.mayFollow;
  if (!(await mayFollow?.(name, lines, 'changed'))) throw edited(old, { name, lines });
  if (!settings.named) trustFolder(where, settings);
  return settings;
}

function isChanged({ file }: StartWords, { loaded: { project } }: RunSettings): boolean {
  return project?.file !== file?.path || project?.sha256 !== file?.sha256;
}

/** A file was edited in vain where words of before stand over it: nobody has to find that out by himself. */
function standing({ loaded }: RunSettings, ask: RunAsk): string[] {
  return [...loaded.origins].flatMap(([key, { origin, overrode }]) => {
    const file = overrode.find(({ layer }) => layer === 'project');
    if (!file || !SAID.includes(origin.layer) || key.startsWith('rules.') || speaksOf(ask, key)) return [];
    if (isDeepStrictEqual(origin.value, file.value)) return [];
    const [is, says] = [origin, file].map(({ value }) => shownAt(key, value));
    const by = origin.source.replace(/^flag /, '');
    const stays = is === undefined ? `${key} stays as ${by} said before` : `${key} stays ${is}, as ${by} said before`;
    return `${stays}, although ${file.source} says ${says ?? 'something else'}; to change it, say it anew with --set`;
  });
}

function isTrustedNow({ env }: StartPlace, { loaded: { project }, named }: RunSettings): boolean {
  return project !== undefined && !named && isTrusted({ env, file: project.file, sha256: project.sha256 });
}

/** What it would be permitted beyond what it was. Also of a file that is as it was: what it names may lead elsewhere now. */
function newParts({ permits }: StartWords, settings: RunSettings): string[] {
  return partLines(permittedBy(settings).filter((part) => !permits.includes(agreedTo(part))));
}

/** What would no longer stand in the agent's way. */
function lifted(old: AgainAsk['old'], settings: RunSettings): string[] {
  const { rules } = settings;
  const unruled = old.rules.filter(
    ({ effect, text }) => effect !== 'allow' && !rules.some((rule) => rule.effect === effect && rule.text === text),
  );
  const gates = settings.loaded.config.event_loop.gates.map(({ run }) => run);
  const ungated = old.config.event_loop.gates.filter(({ run }) => !gates.includes(run));
  const hats = (id: string) => settings.loaded.config.hats[id]?.disallowed_tools ?? [];
  const worn = Object.entries(old.config.hats).flatMap(([id, { disallowed_tools: denied = [] }]) =>
    denied.filter((text) => !hats(id).includes(text)).map((text) => `  no longer hats.${id}.disallowed_tools: ${text}`),
  );
  return [
    ...worn,
    ...answers(old, settings),
    ...unruled.map(({ effect, text }) => `  no longer rules.${effect}: ${text}`),
    ...ungated.map(({ name, run }) => `  no longer the gate ${name}: ${run}`),
  ];
}

/** Words of the user's own, on a command line, are no file's. */
const SAID = ['set', 'flag'];
/** Of the file's own, these are listed as what it permits. */
const climbs = (ladder: unknown): boolean =>
  Array.isArray(ladder) && ladder.some((rung) => rung?.mode === 'auto' || rung?.mode === 'defaults');
const denies = (ladder: unknown): boolean => Array.isArray(ladder) && ladder.every((rung) => rung?.mode === 'deny');

/** Who answers, where a file below the changed one, or another key of it, says so now. */
function answers(old: AgainAsk['old'], { loaded, trust }: RunSettings): string[] {
  const layerOf = (key: string) => loaded.origins.get(key)?.origin.layer ?? 'default';
  const [before, now] = [leavesOf(old.config.tools, ['tools']), leavesOf(loaded.config.tools, ['tools'])];
  const keys = [...new Set([...before.keys(), ...now.keys()])].filter((key) => {
    const [was, is] = [before.get(key), now.get(key)];
    const isTold = layerOf(key) === 'project' && climbs(is);
    return JSON.stringify(was) !== JSON.stringify(is) && !denies(is) && !isTold && !SAID.includes(layerOf(key));
  });
  const isLooser = old.trust === 'guarded' && trust === 'full';
  return [
    ...(isLooser && ['user', 'environment'].includes(layerOf('trust')) ? ['  no longer trust: guarded'] : []),
    ...keys.map((key) => `  ${before.has(key) ? 'no longer as it was' : 'new'}: ${key}`),
  ];
}

function edited({ id, cwd, worktree }: SessionSpec, { name, lines }: { name: string; lines: string[] }): ReinsError {
  return new ReinsError('CONFIG_EDITED', {
    file: name,
    session: id,
    what: `:\n${lines.join('\n')}`,
    agree: `pass --trust-folder, or run \`reins init --trust\` in ${worktree?.from ?? cwd}`,
  });
}
