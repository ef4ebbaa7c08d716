/**
 * The facts a pack is made of: the task in the user's words, what was said before the question, what became of the tree,
 * files, earlier decisions. Everything is bounded here already. What came after the question does not count, so that the
 * pack is the same whenever it is made.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { hider, namedFiles, type PackDecision, type PackFacts, type PackMessage } from '../../consult/index.js';
import type { Entry, Env, Inquiry, Mode } from '../../contract/index.js';
import { FILES } from '../../disk/index.js';
import type { Journal } from '../../journal/journal.js';
import { gitStatus } from '../../proc/repository.js';
import { BUT_OURS } from '../modes/progress.js';
import { changesSince } from '../modes/tree-since.js';
import type { SessionSpec } from '../spec.js';
import { decidedBefore } from './decided.js';
import { familyOf } from './family.js';
import { knownSecrets } from './known-secrets.js';
import { projectFiles } from './project-files.js';

const LONGEST_GOAL = 32 * 1024;
const MOST_MESSAGES = 6;
const LONGEST_MESSAGE = 16 * 1024;
/** Pages of a journal that are looked through for the question, and for what was said before it. */
const MOST_PAGES = 40;
const MOST_CHANGES = 40;

export interface GatherPorts {
  spec: Pick<SessionSpec, 'cwd' | 'mode' | 'config' | 'prompt_file' | 'parent' | 'depth' | 'reread'> & {
    agent?: { adapter: string };
  };
  /** The session's own directory. */
  dir: string;
  env: Env;
  journal: Pick<Journal, 'page'>;
  /** What was typed unseen in this session. */
  secrets?(): Iterable<string>;
  /** Like questions that were answered before. */
  decisions?(inquiry: Inquiry): PackDecision[];
}

export async function gather(ports: GatherPorts, inquiry: Inquiry, asked: Pick<PackFacts, 'for'>): Promise<PackFacts> {
  const { spec, dir, env, journal } = ports;
  const { consult } = spec.config;
  const before = entriesBefore(journal, inquiry.id);
  const { byAgent, since } = familyOf({ spec, env, journal });
  const { files, leftOut } = projectFiles({
    cwd: spec.cwd,
    named: namedFiles(wordsOf(inquiry)),
    context: consult.context,
    since,
    ...(env.HOME ? { home: env.HOME } : {}),
  });
  const changes = await changesOf(spec.cwd, dir);
  const decisions = ports.decisions?.(inquiry) ?? decidedBefore(inquiry, { env, cwd: spec.cwd });
  const goal = goalOf(spec, before);
  return {
    inquiry,
    ...(goal === undefined ? {} : { goal, ...(byAgent ? { byAgent } : {}) }),
    messages: messagesIn(before, { mode: spec.mode, byAgent, inquiry }),
    ...(changes === undefined ? {} : { changes }),
    files,
    decisions,
    leftOut,
    hide: hider(knownSecrets({ env, cwd: spec.cwd, given: ports.secrets?.() ?? [] })),
    freeText: consult.free_text,
    for: asked.for,
  };
}

/** The newest first. */
function entriesBefore(journal: Pick<Journal, 'page'>, inquiry: string): Entry[] {
  const found: Entry[] = [];
  let before: number | undefined;
  let isFound = false;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { entries, more } = journal.page({ ...(before === undefined ? {} : { before }), limit: 500 });
    for (const entry of entries.reverse()) {
      before = entry.seq;
      if (isFound) found.push(entry);
      isFound ||= entry.type === 'inquiry.opened' && entry.data.inquiry.id === inquiry;
    }
    if (!more || (isFound && found.length >= 500)) break;
  }
  return found;
}

/** The prompt, and what the user wrote of the hat that is worn. */
function goalOf(spec: GatherPorts['spec'], before: readonly Entry[]): string | undefined {
  const prompt = spec.prompt_file === undefined ? undefined : beginningOf(spec.prompt_file);
  const worn = before.find((entry) => entry.type === 'hat.worn' || entry.type === 'iteration.started');
  const id = worn && 'hat' in worn.data ? worn.data.hat : undefined;
  const hat = id !== undefined && Object.hasOwn(spec.config.hats, id) ? spec.config.hats[id] : undefined;
  const guidance = before.flatMap((entry) => (entry.type === 'guidance.given' ? [entry.data.text] : [])).slice(0, 5);
  const parts = [
    prompt,
    ...guidance.reverse().map((text) => `Later, the user added: ${text}`),
    hat && `The agent’s role now: ${[id, hat.description, hat.instructions].filter(Boolean).join('\n')}`,
  ];
  const said = parts.filter((part) => part !== undefined && part.trim() !== '');
  return said.length === 0 ? undefined : said.join('\n\n');
}

function beginningOf(file: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    const room = Buffer.alloc(LONGEST_GOAL);
    return new TextDecoder('utf-8', { ignoreBOM: false }).decode(room.subarray(0, readSync(fd, room)), {
      stream: true,
    });
  } catch {
    return undefined; // there is none any more
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Oldest first. A loop's prompts are our own words with the agent's in them; there only the agent is heard. */
function messagesIn(
  before: readonly Entry[],
  { mode, byAgent, inquiry }: { mode: Mode; byAgent: boolean; inquiry: Inquiry },
): PackMessage[] {
  const found: PackMessage[] = [];
  let isOpen = false;
  for (const entry of before) {
    if (entry.type === 'agent.text' && entry.data.parent === inquiry.parent) {
      const last = found.at(-1);
      // Pieces of one message, the last one first.
      if (isOpen && last) last.text = `${entry.data.text}${last.text}`.slice(-LONGEST_MESSAGE);
      else found.push({ by: 'agent', text: entry.data.text.slice(-LONGEST_MESSAGE) });
      isOpen = true;
    } else if (entry.type === 'prompt.given' && mode !== 'autonomous') {
      // In a terminal it is the agent that says what was typed, and some put more under the user's name than that.
      const unverified = mode !== 'conversation' || byAgent;
      found.push({
        by: 'user',
        text: entry.data.text.slice(0, LONGEST_MESSAGE),
        ...(unverified ? { unverified } : {}),
      });
      isOpen = false;
    } else if (ENDS_A_MESSAGE.has(entry.type)) isOpen = false;
    if (found.length > MOST_MESSAGES) break;
  }
  return found.slice(0, MOST_MESSAGES).reverse();
}

const ENDS_A_MESSAGE: ReadonlySet<Entry['type']> = new Set([
  ...(['tool.called', 'tool.returned', 'turn.ended', 'agent.started', 'agent.ended'] as const),
  ...(['iteration.started', 'inquiry.opened', 'inquiry.answered'] as const),
]);

/** Since the session began, where that was remembered; else what is not committed. */
async function changesOf(cwd: string, dir: string): Promise<string | undefined> {
  const since = await changesSince(cwd, join(dir, FILES.tree));
  if (since) {
    if (since.files === 0 && since.commits === 0) return undefined;
    const lines = since.most.map(({ path, added, removed }) => `${path} +${added} -${removed}`);
    const total = `${since.files} files +${since.added} -${since.removed}, ${since.commits} commits since it began`;
    return [total, ...lines].join('\n');
  }
  const status = await gitStatus(cwd, BUT_OURS);
  const records = status?.records.filter((record) => record !== '') ?? [];
  if (records.length === 0) return undefined;
  const lines = records.slice(0, MOST_CHANGES).map((record) => record.replace(/^1 (\S\S) (?:\S+ ){6}/, '$1 '));
  return [`${records.length} files are not committed`, ...lines].join('\n');
}

/** Everything of the question in which a file could be named. */
function wordsOf({ questions = [], reason }: Inquiry): string {
  const words = questions.flatMap(({ text, header, options }) => [
    ...[header, text],
    ...options.flatMap(({ label, description }) => [label, description]),
  ]);
  return [...words, reason]
    .filter((text) => text !== undefined)
    .join('\n')
    .slice(0, 64 * 1024);
}
