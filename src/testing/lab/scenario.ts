/**
 * What the scripted model says, as data for people to write: YAML or JSON, one turn per request of the main conversation,
 * in order. Owns the file's shape and its errors; `script.ts` plays it, one file per API says it in that API's words.
 *
 *   turns:
 *     - text: I will look.              # keys of a turn are its blocks, in order
 *       bash: ls -1
 *     - blocks: [{bash: npm test}, {write: {path: a.txt, content: hi}}]   # several of a kind: parallel calls
 *     - ask: [{question: Which one?, options: [red, blue]}]
 *     - error: 529                      # 401, 429, 500, 529 …; `times: 3` or `times: always`
 *     - {error: usage-limit, resets_in: 90}   # seconds; an hour if not said
 *     - {text: half a sen, cut: true}   # the connection breaks here
 *     - {delay: 500, pace: 20, thinking: hm, text: "It said {{result}}"}
 *     - {when: "deploy", text: No.}     # only for a prompt that matches; else the next turn's turn
 *   consult: consult PostgreSQL 0.8    # what the practice agent says when it is asked in the user's place
 * Fields in braces: prompt (the last thing the person said), result (of the last tools), and in a tool's input `"{{id}}"`. After the last turn the model
 * says `end`, which is "The scenario is over." if not given. Sub-agents get the turns of `subagent`, if there are any.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as yaml from 'yaml';

export interface LabQuestion {
  question: string;
  header?: string;
  options?: (string | { label: string; description?: string })[];
  multi?: boolean;
}

export type LabBlock =
  | { text: string }
  | { thinking: string }
  | { bash: string }
  | { write: { path: string; content: string } }
  | { ask: LabQuestion[] }
  /** A tool by the name this agent knows it by. */
  | { tool: { name: string; input: Record<string, unknown> } }
  /** Text made to fool whoever reads the agent's screen or output. */
  | { hostile: true };

export interface LabTurn {
  blocks: LabBlock[];
  when?: string;
  /** How often this turn is given before the next one comes; 1 if absent. */
  times?: number | 'always';
  /** Milliseconds before the first byte, and between pieces. */
  delay?: number;
  pace?: number;
  error?: number | 'usage-limit';
  message?: string;
  /** Seconds until a usage limit ends. */
  resets_in?: number;
  cut?: boolean;
}

export interface LabScenario {
  turns: LabTurn[];
  subagent?: LabTurn[];
  end?: string;
  /** What the practice agent says when it is consulted: a scenario of its own. */
  consult?: string;
}

/** Reads a scenario file; throws an Error that names file and place. */
export async function loadScenario(file: string): Promise<LabScenario> {
  return parseScenario(readFileSync(file, 'utf8'), file);
}

export async function parseScenario(text: string, name: string): Promise<LabScenario> {
  // As in config/yaml.ts: it is no ES module, and bundled it has no names to import.
  const { parse } = createRequire(import.meta.url)('yaml') as typeof yaml;
  const { z } = await import('zod');
  const option = z.union([z.string(), z.strictObject({ label: z.string(), description: z.string().optional() })]);
  const question = z.strictObject({
    question: z.string(),
    header: z.string().optional(),
    options: z.array(option).optional(),
    multi: z.boolean().optional(),
  });
  const said = {
    text: z.string(),
    thinking: z.string(),
    bash: z.string(),
    write: z.strictObject({ path: z.string(), content: z.string() }),
    ask: z.array(question).min(1),
    tool: z.strictObject({ name: z.string(), input: z.record(z.string(), z.unknown()) }),
    hostile: z.literal(true),
  };
  const manner = {
    when: z.string().optional(),
    times: z.union([z.number().int().min(1), z.literal('always')]).optional(),
    delay: z.number().min(0).optional(),
    pace: z.number().min(0).optional(),
    error: z.union([z.number().int().min(400).max(599), z.literal('usage-limit')]).optional(),
    message: z.string().optional(),
    resets_in: z.number().int().min(0).optional(),
    cut: z.boolean().optional(),
  };
  const blocks = z.array(z.union(Object.entries(said).map(([key, schema]) => z.strictObject({ [key]: schema }))));
  const turn = z.strictObject({ ...z.strictObject(said).partial().shape, ...manner, blocks: blocks.optional() });
  const file = z.strictObject({
    turns: z.array(turn),
    subagent: z.array(turn).optional(),
    end: z.string().optional(),
    consult: z.string().optional(),
  });

  const data = readYaml(() => parse(text), name) as {
    turns: Record<string, unknown>[];
    subagent?: Record<string, unknown>[];
    end?: string;
    consult?: string;
  };
  const read = file.safeParse(data);
  if (!read.success) throw new Error(`${name}: ${z.prettifyError(read.error)}`);
  const played = (one: Record<string, unknown>): LabTurn => {
    // The order of the blocks is the order of the keys in the file; the schema's own copy has lost it.
    const own = (keys: object) => Object.entries(one).filter(([key]) => key in keys);
    const inline = own(said).map(([key, value]) => ({ [key]: value }));
    return {
      ...Object.fromEntries(own(manner)),
      blocks: [...inline, ...((one.blocks as object[]) ?? [])] as LabBlock[],
    };
  };
  return {
    turns: data.turns.map(played),
    ...(data.subagent === undefined ? {} : { subagent: data.subagent.map(played) }),
    ...(data.end === undefined ? {} : { end: data.end }),
    ...(data.consult === undefined ? {} : { consult: data.consult }),
  };
}

function readYaml(read: () => unknown, name: string): unknown {
  try {
    return read();
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`);
  }
}
