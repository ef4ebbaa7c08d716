/** `reins decisions`: what was decided for you and why; taken back, corrected, made a rule. */
import { nameOf } from '../../contract/index.js';
import { answerWords, type Remembered } from '../../decisions/index.js';
import {
  correctDecision,
  decisionsIn,
  findDecision,
  revokeDecision,
  ruleOf,
  type ToldOf,
} from '../../sessions/decisions.js';
import { refuseInside } from '../../sessions/inside.js';
import { visibleJson } from '../../vt/plain.js';
import type { Context } from '../context.js';
import { duration, harmless, table } from '../table.js';

interface DecisionFlags {
  json?: boolean;
  all?: boolean;
  reason?: string;
  text?: string[];
}

export async function list(context: Context, flags: DecisionFlags): Promise<number> {
  const { channels } = context;
  const found = decisionsIn(context, { all: flags.all === true });
  if (flags.json) channels.json(found);
  else if (found.length === 0)
    channels.chrome(`Nothing was decided ${flags.all ? 'yet' : 'in this project; see all: reins decisions --all'}.`);
  else {
    const width = process.stdout.isTTY ? { width: process.stdout.columns } : {};
    const head = ['ID', 'AGE', 'ANSWER', 'BY', 'QUESTION'];
    channels.out(`${table(head, found.map(row), width)}\n`);
  }
  return 0;
}

function row(one: Remembered): string[] {
  const state = one.unverified !== undefined ? 'unverified: ' : one.revoked ? 'revoked: ' : '';
  const age = Date.now() - Date.parse(one.at);
  return [
    one.id,
    Number.isFinite(age) ? duration(age / 1000) : '?',
    `${state}${answerOf(one)}`,
    whoOf(one),
    one.question.text,
  ];
}

const answerOf = ({ question, values, correction }: Remembered): string =>
  answerWords(question, correction?.values ?? values).join(', ');

/** Whoever reads this is the user whose account it is. */
const decider = (by: Remembered['by']): string =>
  by.kind === 'viewer' && by.who?.kind === 'user' ? 'you' : nameOf(by);

/** A line that is anybody's may name anybody. */
function whoOf({ by, correction, unverified, model }: Remembered): string {
  if (correction) return 'you (corrected)';
  if (unverified !== undefined) return '?';
  return `${decider(by)}${model === undefined ? '' : ` (${model})`}`;
}

export async function show(context: Context, id: string, flags: DecisionFlags): Promise<number> {
  const found = findDecision(context, id);
  if (flags.json) context.channels.json(found);
  else context.channels.out(`${lines(found).map(harmless).join('\n')}\n`);
  return 0;
}

function lines(one: Remembered): string[] {
  const { question, correction, revoked, used, cites = [] } = one;
  const chosen = new Set(one.values);
  return [
    `decision    ${one.id}${one.unverified === undefined ? '' : ` – unverified: ${one.unverified}`}`,
    `question    ${question.text}`,
    ...question.options.map(({ id, label, description }) => {
      const mark = chosen.has(id) ? '›' : ' ';
      return `          ${mark} ${label}${description === undefined ? '' : ` – ${description}`}`;
    }),
    `answer      ${answerWords(question, one.values).join(', ')}`,
    ...(correction
      ? [
          `corrected   ${answerWords(question, correction.values).join(', ')} (${correction.at})${correction.reason === undefined ? '' : `: ${correction.reason}`}`,
        ]
      : []),
    ...(revoked ? [`revoked     ${revoked.at}${revoked.reason === undefined ? '' : `: ${revoked.reason}`}`] : []),
    `by          ${one.unverified === undefined ? decider(one.by) : 'unknown: the line says it, and is not ours'}${one.model === undefined ? '' : ` (${one.model})`}`,
    ...(one.confidence === undefined ? [] : [`confidence  ${one.confidence}`]),
    ...(one.reason === undefined ? [] : [`why         ${one.reason}`]),
    ...cites.map(
      ({ source, name, quote, changed }) =>
        `cites       ${source} ${name}${quote === undefined ? '' : `: “${quote}”`}${changed ? ' (changed by the asking agent)' : ''}`,
    ),
    `asked in    session ${one.session}, inquiry ${one.inquiry}, ${one.at}`,
    `counts      ${SCOPES[one.scope] ?? one.scope}`,
    ...(used ? [`used        ${used.times === 1 ? 'once' : `${used.times} times`}, last ${used.last}`] : []),
  ];
}

const SCOPES: Record<string, string> = {
  once: 'only then',
  session: 'in its session',
  project: 'in this project, for the same question',
};

export async function revoke(context: Context, id: string, flags: DecisionFlags): Promise<number> {
  const found = revokeDecision(context, id, flags.reason);
  if (flags.json) context.channels.json(found);
  else context.channels.chrome(`Revoked ${id}: it answers nothing any more.`);
  return 0;
}

export async function correct(context: Context, id: string, words: string[], flags: DecisionFlags): Promise<number> {
  const { reason, text: texts = [] } = flags;
  const { decision, told } = await correctDecision(context, id, {
    words,
    texts,
    ...(reason === undefined ? {} : { reason }),
  });
  if (flags.json) {
    context.channels.json({ decision, told });
    return 0;
  }
  context.channels.chrome(`Corrected ${id}: the same question is now answered ${harmless(answerOf(decision))}.`);
  for (const one of told) context.channels.chrome(`  ${harmless(toldWords(one))}`);
  return 0;
}

function toldWords({ session, how, iteration, reason }: ToldOf): string {
  if (how === 'guidance') return `session ${session} hears it in the prompt of iteration ${iteration}`;
  if (how === 'message') return `session ${session} was told, as your message`;
  return `session ${session} was not told: ${reason}`;
}

export async function rule(context: Context, id: string, flags: DecisionFlags & { write?: boolean }): Promise<number> {
  const { key, values, decision } = ruleOf(context, id);
  const path = ['tools', decision.tool ?? 'defaults', 'questions', decision.question.id, 'answer'];
  if (!flags.write) {
    if (flags.json) context.channels.json({ key, values, set: `${key}=${JSON.stringify(values)}` });
    else {
      context.channels.out(ruleText(path, values));
      context.channels.chrome(
        `Put this into reins.yml, or into your own config with --write: it answers every question ${path[1]}.${path[3]} that offers it, whoever is there.`,
      );
    }
    return 0;
  }
  refuseInside(context, 'write rules', 'write it in a terminal of your own');
  const { writeUserSetting } = await import('../write-setting.js');
  const written = writeUserSetting(context.env, { path, value: values });
  if (flags.json) context.channels.json({ key, values, ...written });
  else {
    const kept = written.kept === undefined ? '' : ` What it was is kept in ${harmless(written.kept)}.`;
    context.channels.out(ruleText(path, values));
    context.channels.chrome(`Written to ${harmless(written.file)}: it counts in all your projects.${kept}`);
  }
  return 0;
}

function ruleText(path: string[], values: string[]): string {
  const names = path.map((part) => (/^[\w-]+$/.test(part) ? part : visibleJson(part)));
  return names
    .map((name, depth) => `${'  '.repeat(depth)}${name}:`)
    .join('\n')
    .concat(` ${visibleJson(values)}\n`);
}
