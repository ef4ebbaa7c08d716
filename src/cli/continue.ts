/** `reins run --continue`: goes on with a session that ended or whose host died, perhaps with new words, and shows it. */
import { resolve } from 'node:path';
import { DEFAULT_NAMESPACE, ReinsError } from '../contract/index.js';
import type { SessionSpec } from '../host/index.js';
import { findSession, specOf } from '../sessions/index.js';
import { continueSession } from '../sessions/run.js';
import type { RunFlags } from './commands/run.js';
import type { Context } from './context.js';
import { openInTmux } from './in-tmux.js';
import { findNewPrompt, promptPlaces, promptSources } from './prompt.js';
import { changesLine } from './render.js';
import { openRunLog } from './run-log.js';
import { seatOf } from './seat.js';
import { startPorts } from './start-ports.js';
import { agentSize } from './terminal-view.js';
import { view } from './view-session.js';

export async function continueRun(context: Context, words: string[], flags: RunFlags): Promise<number> {
  const found = findSession(context, flags.continue!);
  const old = specOf(found);
  if (old) checkKept(context, old, flags);
  const log = openRunLog(context, flags);
  const own = seatOf(context, flags);
  const seat = old?.tui ? { ...own, size: agentSize(own.size) } : own;
  const ports = startPorts(context, { mayAsk: seat.non_interactive === null });
  const { place, spec, since, changes } = await continueSession(context, found, seat, {
    ports,
    ask: {
      ...flags,
      prompt: (settings, fromFiles) => {
        // What is typed counts from here; what nobody typed is looked for where the session works.
        const typed = flags.promptFile === undefined ? {} : { file: resolve(context.cwd, flags.promptFile) };
        const sources = { ...promptSources(context, words, flags), ...typed, ...promptPlaces(settings) };
        return findNewPrompt(sources, fromFiles);
      },
    },
  });
  log.log('info', 'continued', { session: place.id, agent: spec.agent?.adapter, mode: spec.mode, trust: spec.trust });
  const isStory = spec.mode !== 'interactive' && !(spec.tui && process.stdout.isTTY);
  // A story tells it from the journal.
  if (changes.length > 0 && (flags.detach || !isStory)) context.channels.chrome(changesLine(changes));
  if (flags.in) return openInTmux(context, place, spec.name);
  if (flags.detach) {
    context.channels.out(`${place.id}\n`);
    return 0;
  }
  return view(context, place, { spec, verbose: (flags.verbose ?? 0) > 0, since });
}

/** What makes it this session and no other is not changed on the way. */
function checkKept(
  context: Context,
  { id, name, namespace = DEFAULT_NAMESPACE, cwd, worktree, mode, tui }: SessionSpec,
  flags: RunFlags,
): void {
  const kept: [boolean, string][] = [
    [flags.interactive === true && mode !== 'interactive', `-i: it is ${mode}`],
    [flags.autonomous === true && mode !== 'autonomous', `-a: it is ${mode}`],
    [flags.tui === true && !tui, '--tui: it was started without'],
    [flags.name !== undefined && flags.name !== name, `--name: it is called ${name}`],
    [flags.namespace !== undefined && flags.namespace !== namespace, `--namespace: it is in ${namespace}`],
    [flags.cwd !== undefined && resolve(context.cwd, flags.cwd) !== cwd, `-C: it works in ${cwd}`],
    [flags.worktree !== undefined && flags.worktree !== worktree?.name, `--worktree: it works in ${cwd}`],
    [flags.dryRun === true, '--dry-run: it would go on'],
  ];
  const refused = kept.find(([isRefused]) => isRefused);
  if (!refused) return;
  throw new ReinsError('USAGE', {
    problem: `session ${id} cannot be continued with ${refused[1]}`,
    fix: 'leave that out, or start a new one without --continue',
  });
}
