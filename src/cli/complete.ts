/**
 * What could come next on a command line, for the shells' completion: commands and flags from the program itself, so that
 * they cannot drift; sessions and inquiries from what runs now. Lines of `value TAB description`.
 */
import { adapters } from '../adapters/index.js';
import { PRESETS } from '../config/index.js';
import { catalog, openInquiries, specOf } from '../sessions/index.js';
import type { Command } from './commander.js';
import type { Context } from './context.js';
import { harmless } from './table.js';

interface Candidate {
  value: string;
  about?: string;
}

/** Commands whose first argument is a session; of those, which also take one that has ended. */
const TAKES_SESSION = new Set(
  'attach send screen logs interrupt pause resume stop kill resize guide replay rm'.split(' '),
);
const TAKES_ENDED = new Set(['logs', 'replay', 'rm', 'stop', 'kill']);

/** `words`: what stands behind `reins`, the last one being typed (empty if none is begun). */
export async function complete(context: Context, program: Command, words: string[]): Promise<string[]> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  if (before.includes('--')) return [];
  const command = commandOf(program, before);
  const all = await candidates(context, { program, command, before, typed });
  return all
    .filter(({ value }) => value.startsWith(typed))
    .map(({ value, about }) => (about ? `${value}\t${harmless(about)}` : value));
}

function commandOf(program: Command, before: string[]): Command {
  return before.reduce((at, word) => at.commands.find((one) => one.name() === word) ?? at, program);
}

interface CompletionAsk {
  program: Command;
  command: Command;
  before: string[];
  typed: string;
}

async function candidates(context: Context, { program, command, before, typed }: CompletionAsk): Promise<Candidate[]> {
  const options = [...command.options, ...(command === program ? [] : program.options)].filter((one) => !one.hidden);
  const last = before.at(-1);
  const takesValue = options.filter((one) => one.required || one.optional);
  const open = last === undefined ? undefined : takesValue.find((one) => one.long === last || one.short === last);
  if (open) return valuesOf(context, { flag: open.long ?? '', choices: open.argChoices, typed });
  if (typed.startsWith('-')) {
    return options.flatMap((one) => (one.long ? [{ value: one.long, about: one.description }] : []));
  }
  if (command.commands.length > 0) {
    const subs = command.commands.filter((one) => one.name() !== 'help' && !isHidden(one));
    return subs.map((one) => ({ value: one.name(), about: one.description() }));
  }
  const name = command.name();
  if (command.parent?.name() === 'worktree') return name === 'ls' ? [] : worktrees(context);
  if (TAKES_SESSION.has(name)) return sessions(context, { ended: TAKES_ENDED.has(name), typed });
  if (command.parent?.name() === 'decisions') return decisions(context);
  if (name === 'answer') return inquiries(context, before.at(-1) === 'answer');
  if (name === 'consult') return inquiries(context, true);
  if (name === 'trust' || name === 'rehearse') return agents();
  if (name === 'completion') return ['bash', 'zsh', 'fish'].map((value) => ({ value }));
  return [];
}

const isHidden = (command: Command): boolean => command.name().startsWith('__');

interface Value {
  flag: string;
  choices: readonly string[] | undefined;
  typed: string;
}

async function valuesOf(context: Context, { flag, choices, typed }: Value): Promise<Candidate[]> {
  if (choices) return choices.map((value) => ({ value }));
  if (flag === '--backend' || flag === '--agent') return agents();
  if (flag === '--worktree') return worktrees(context);
  if (flag === '--continue') return sessions(context, { ended: true, typed });
  if (flag === '--preset') return PRESETS.map((value) => ({ value }));
  if (flag === '--format') return ['auto', 'text', 'text-pretty', 'json'].map((value) => ({ value }));
  if (flag === '--scope') return ['once', 'session'].map((value) => ({ value }));
  return []; // a file, a number, words: the shell knows files
}

/** Nothing where there is no repository: a completion is silent. */
async function worktrees({ cwd }: Context): Promise<Candidate[]> {
  const { repositoryWithRoot, worktreesOf } = await import('../proc/worktrees.js');
  try {
    const { repository, root } = repositoryWithRoot(cwd);
    return worktreesOf(repository, root).map(({ name, branch }) => ({ value: name, about: branch }));
  } catch {
    return [];
  }
}

async function decisions(context: Context): Promise<Candidate[]> {
  const { decisionsIn } = await import('../sessions/decisions.js');
  const standing = decisionsIn(context, { all: false }).filter(({ unverified, revoked }) => !unverified && !revoked);
  return standing.slice(-MOST_ENDED).map(({ id, question }) => ({ value: id, about: question.text }));
}

const agents = (): Candidate[] => adapters.map(({ id, label }) => ({ value: id, about: label }));

/** Of thousands that have ended, the newest are offered. */
const MOST_ENDED = 100;

function sessions({ env }: Context, { ended, typed }: { ended: boolean; typed: string }): Candidate[] {
  const { looked, ended: earlier } = catalog(env);
  const now = looked
    .filter(({ alive }) => ended || alive)
    .flatMap((place) => {
      const spec = specOf(place);
      return spec ? [{ value: place.id, about: `${spec.name}${place.alive ? '' : ' (ended)'}` }] : [];
    });
  const before = ended ? earlier.beginningWith(typed, MOST_ENDED) : [];
  return [...now, ...before.map(({ id, name }) => ({ value: id, about: `${name} (ended)` }))];
}

async function inquiries(context: Context, isFirst: boolean): Promise<Candidate[]> {
  if (!isFirst) return [{ value: 'allow' }, { value: 'deny' }];
  return (await openInquiries(context)).inquiries.map(({ id, tool, kind }) => ({ value: id, about: tool ?? kind }));
}
