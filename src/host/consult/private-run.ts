/**
 * One agent, asked one thing: started through `AgentRun` in a private empty folder, with marks of its own and nothing of
 * the session's, heard within bounds, and ended with everything it started. It writes no journal and asks at no desk. A
 * tool or a question of its own ends it: it was started without either.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Adapter, ConsultPlan } from '../../adapters/index.js';
import type { Failure } from '../../adapters/loaded.js';
import { adapterSettings } from '../../config/quick.js';
import {
  type AgentOutput,
  CONSULTATION_MARK,
  CONSULTATION_OF,
  type Env,
  type InquiryId,
} from '../../contract/index.js';
import { forget } from '../../disk/index.js';
import type { AgentProcessOptions } from '../agent-process.js';
import type { Asked } from '../desk-ports.js';
import { AgentRun } from '../run/agent-run.js';
import type { RunPorts } from '../run/ports.js';

/** An answer is a few lines: beyond this nobody reads, and it is ended. */
const MOST_TEXT = 256 * 1024;
const MOST_BYTES = 4 * 1024 * 1024;

export type PrivatePorts = Pick<RunPorts, 'spec' | 'dir' | 'env' | 'clock' | 'log' | 'start'>;

export interface PrivateEnd {
  /** Everything it said, if it ended well and did nothing else. */
  text?: string;
  /** Why there is nothing. */
  reason?: string;
  /** Known not to be about this question: its login, its settings, an outage, a usage limit. */
  failure?: Failure | 'limit';
  costUsd?: number;
  inputTokens?: number;
  outputTokens?: number;
}

/** The folders of one consultation, in the session's own: `cwd` stays empty, `dir` holds what the plan writes. */
export interface PrivateFolders {
  root: string;
  cwd: string;
  dir: string;
  promptFile: string;
}

export function makeFolders(sessionDir: string, id: string): PrivateFolders {
  const folders = foldersIn(sessionDir, id);
  forget(folders.root);
  for (const folder of [folders.cwd, folders.dir]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folders;
}

/** Their names alone. */
export function foldersIn(sessionDir: string, id: string): PrivateFolders {
  const root = join(sessionDir, 'consult', id);
  const dir = join(root, 'own');
  return { root, cwd: join(root, 'empty'), dir, promptFile: join(dir, 'prompt.md') };
}

/** What the user's shell has, and nothing that says where or for whom: no session, no hook, no project. */
export function privateEnv(env: Env, marks: { id: string; session: string }): Record<string, string> {
  const kept = Object.entries(env).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && !/^(REINS_|BASH_FUNC_)|^(OLD)?PWD$/.test(pair[0]),
  );
  return { ...Object.fromEntries(kept), [CONSULTATION_MARK]: marks.id, [CONSULTATION_OF]: marks.session };
}

export async function runPrivately(
  ports: PrivatePorts,
  order: {
    id: string;
    adapter: Adapter;
    path: string;
    plan: ConsultPlan;
    folders: PrivateFolders;
    prompt: string;
    signal: AbortSignal;
  },
): Promise<PrivateEnd> {
  const { adapter, plan, folders, signal } = order;
  writeFileSync(folders.promptFile, order.prompt, { mode: 0o600 });
  const heard = new PrivateWords((why) => run.end({ exit: 'failed', reason: why }, { how: 'kill', why }));
  const { env: _env, pinned, ...rest } = plan;
  const env = { ...plan.env, ...adapterSettings(ports.spec.config, adapter.id).env, ...pinned };
  const run = new AgentRun(
    runPorts(ports, order, () => heard.asked()),
    {
      adapter,
      choice: { mode: 'autonomous', tui: false, prompt: order.prompt, promptFile: folders.promptFile },
      planned: { plan: { ...rest, env, command: order.path }, door: 'stream', env },
      size: { cols: 80, rows: 24 },
      oneTurn: true,
      begins: 'working',
      listeners: { text: (text) => heard.text(text), output: (output) => heard.output(output) },
      heard: (chunk) => heard.bytes(chunk.length),
    },
  );
  const end = await run.run({ signal, polite: true });
  const tried = plan.tried?.exec(run.door?.lastWords ?? '')?.[1];
  const used = {
    ...(end.costUsd === undefined ? {} : { costUsd: end.costUsd }),
    ...(end.inputTokens === undefined ? {} : { inputTokens: end.inputTokens }),
    ...(end.outputTokens === undefined ? {} : { outputTokens: end.outputTokens }),
  };
  if (heard.limit !== undefined)
    return { reason: `it is at its usage limit: ${heard.limit}`, failure: 'limit', ...used };
  const trouble = heard.trouble ?? (tried === undefined ? undefined : usedTool(tried));
  if (trouble !== undefined) return { reason: trouble, ...used };
  if (end.exit !== 'ok') {
    const failure = end.failure === undefined ? {} : { failure: end.failure };
    return { reason: end.reason ?? 'it failed without a reason', ...failure, ...used };
  }
  return { text: heard.words, ...used };
}

const usedTool = (tool: string): string => `it tried to use a tool (${tool.slice(0, 80)}), and a consultation has none`;

/** What one said, within bounds; anything but words ends it. */
class PrivateWords {
  words = '';
  trouble: string | undefined;
  limit: string | undefined;
  #bytes = 0;
  readonly #end: (why: string) => unknown;

  constructor(end: (why: string) => unknown) {
    this.#end = end;
  }

  text(text: string): void {
    if (this.words.length + text.length > MOST_TEXT) this.#over(`it said more than ${MOST_TEXT / 1024} KB`);
    else this.words += text;
  }

  bytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > MOST_BYTES) this.#over(`it printed more than ${MOST_BYTES / 1024 / 1024} MB`);
  }

  output(output: AgentOutput): void {
    if (output.kind === 'tool') this.#over(usedTool(output.tool));
    // It would wait for hours; somebody else is wanted now.
    if (output.kind === 'limit') {
      this.limit ??= output.message;
      this.#end(output.message);
    }
  }

  asked(): void {
    this.#over('it asked something itself, and a consultation has nobody to ask');
  }

  #over(why: string): void {
    if (this.trouble !== undefined) return;
    this.trouble = why;
    this.#end(why);
  }
}

const SILENT = { append: () => undefined };

function runPorts(
  ports: PrivatePorts,
  { id, folders }: { id: string; folders: PrivateFolders },
  asked: () => void,
): RunPorts {
  const { spec, clock, log } = ports;
  const { agent: _own, ...task } = spec;
  return {
    spec: { ...task, mode: 'autonomous', cwd: folders.cwd },
    dir: folders.dir,
    env: ports.env,
    hook: { argv: [], socket: '', secret: '' },
    bin: '',
    clock,
    log,
    journal: SILENT,
    seen: () => undefined,
    state: () => undefined,
    ask: () => {
      asked();
      return refused();
    },
    start: (options) => ports.start(marked(options, { id, session: spec.id })),
  };
}

const marked = (options: AgentProcessOptions, marks: { id: string; session: string }): AgentProcessOptions => ({
  ...options,
  env: privateEnv(options.env, marks),
  mark: { name: CONSULTATION_MARK, value: marks.id },
  only: true,
});

const refused = (): Asked => ({
  id: '' as InquiryId,
  settled: Promise.resolve({ verdict: { kind: 'deny' }, reason: 'A consultation uses no tools and asks nothing.' }),
  delivered: () => undefined,
  withdraw: () => undefined,
});
