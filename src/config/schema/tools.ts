/**
 * Who answers an inquiry: `tools`, `rules`, `consult`, `presence`. A policy may be written as one mode, as a ladder
 * (a list of modes, each with its time) or per kind of inquiry; whatever was written, what comes out is one ladder per
 * kind. One mode for all is only short for the same mode three times, so layers can override a single kind.
 */
import { z } from 'zod';
import { Duration, Filled, Text, Texts } from './shared.js';

export const KINDS = ['run', 'deliver', 'question'] as const;
export type Kind = (typeof KINDS)[number];

const ATTACHED = ['ask', 'auto', 'deny'] as const;
const DETACHED = ['deny', 'auto', 'defaults', 'defer'] as const;
export type AttachedMode = (typeof ATTACHED)[number];
export type DetachedMode = (typeof DETACHED)[number];

/** One step of a ladder. `secs`: how long it is tried before the next; absent: until it settles by itself. */
export interface ConfigRung<Mode extends string> {
  mode: Mode;
  secs?: number;
}
export type AttachedRung = ConfigRung<AttachedMode>;
/** `ask` waits for a person who may still come; it only makes sense with a time and therefore only in a ladder. */
export type DetachedRung = ConfigRung<DetachedMode | 'ask'>;
export type PerKind<R> = { [K in Kind]?: R[] };

/** More rungs than this is a mistake, not a policy. */
const MOST_RUNGS = 10;

/** As written → per kind, not yet checked: one value for all kinds is spread, the seed's word `tool` is `question`. */
export function spreadKinds(written: unknown): unknown {
  if (written === null || written === undefined) return written;
  if (typeof written !== 'object' || Array.isArray(written)) {
    return { run: written, deliver: written, question: written };
  }
  const { tool, ...kinds } = written as Record<string, unknown>;
  return tool === undefined ? kinds : { ...kinds, question: tool };
}

function policy<const Scalar extends readonly string[], const Timed extends readonly string[]>(modes: {
  scalar: Scalar;
  timed: Timed;
}) {
  type Step = ConfigRung<Scalar[number] | Timed[number]>;
  const words = modes.scalar.join(', ');
  const mode = z.enum(modes.scalar);
  const timed = z
    .partialRecord(z.enum([...modes.scalar, ...modes.timed]), Duration)
    .refine((map) => Object.keys(map).length === 1, { error: 'a rung has exactly one mode, as in {ask: 5m}' });
  const rung = z
    .union([mode, timed], { error: `expected ${words}, or a mode with its time as in {ask: 5m}` })
    .transform((written): Step => {
      if (typeof written === 'string') return { mode: written };
      const [name, secs] = Object.entries(written)[0] as [Step['mode'], number];
      return { mode: name, secs };
    });
  const ladder = z.array(rung).min(1).max(MOST_RUNGS);
  const oneKind = z
    .union([mode, ladder], { error: `expected ${words}, or a list of them` })
    .transform((written): Step[] => (typeof written === 'string' ? [{ mode: written }] : written));
  const kinds = z
    .strictObject({
      run: oneKind.exactOptional().describe('May the agent use this tool with this input?'),
      deliver: oneKind.exactOptional().describe('May this result go to the agent?'),
      question: oneKind.exactOptional().describe('The agent asks something.'),
      tool: oneKind.exactOptional().describe('The same as `question`.'),
    })
    .refine((map) => map.question === undefined || map.tool === undefined, {
      error: '`tool` is another word for `question`: keep one of them',
    });
  return z
    .union([mode, ladder, kinds], { error: `expected ${words}, a list of them, or a map of ${KINDS.join(', ')}` })
    .transform((written) => spreadKinds(typeof written === 'string' ? [{ mode: written }] : written) as PerKind<Step>);
}

const Attached = policy({ scalar: ATTACHED, timed: [] }).meta({ title: 'policy' });
const Detached = policy({ scalar: DETACHED, timed: ['ask'] }).meta({ title: 'policy' });

const policies = {
  attached: Attached.exactOptional().describe(
    'While a person can answer: ask, auto or deny, as one mode, per kind, or as a ladder.',
  ),
  detached: Detached.exactOptional().describe(
    'While nobody can answer: deny, auto, defaults or defer, as one mode, per kind, or as a ladder ([{ask: 5m}, auto]).',
  ),
  reachable: Detached.exactOptional().describe(
    'While nobody is there but somebody can be fetched; [{ask: 15m}, the detached policy] if not set.',
  ),
  answers: z
    .enum(['parent'])
    .exactOptional()
    .describe('Who else may answer: parent, the agent whose session started this one.'),
  on_no_answer: z
    .enum(['deny', 'defaults', 'defer'])
    .exactOptional()
    .describe('What happens to a question when the consultation finds no usable answer (deny if not set).'),
};

const QuestionSettings = z.strictObject({
  exclusive: z.boolean().exactOptional().describe('Only a person may answer this question; overrides the asker.'),
  answer: z
    .union([Text.transform((text) => [text]), Texts], { error: 'expected text or a list of texts' })
    .exactOptional()
    .describe('The answer to give, as option ids, labels or free text.'),
});

const Tool = z.strictObject({
  ...policies,
  questions: z.record(z.string(), QuestionSettings).exactOptional().describe('Per question of this tool, by its id.'),
});

export const Tools = z
  .strictObject({ defaults: z.strictObject(policies).prefault({}).describe('For every tool without its own.') })
  .catchall(Tool)
  .superRefine((tools, context) => {
    for (const name of Object.keys(tools)) {
      if (name !== 'defaults' && /^defaults?$/i.test(name)) {
        const message = `${name} would be a tool of that name; did you mean defaults?`;
        context.addIssue({ code: 'custom', path: [name], message, input: tools });
      }
    }
  });

const ruleList = (what: string) =>
  z.array(Filled).default([]).describe(`${what} The lists of all layers are joined, none replaces another.`);

export const Rules = z.strictObject({
  allow: ruleList('Calls that need no answer, such as `Bash(npm test:*)` or `Edit(src/**)`.'),
  ask: ruleList('Calls that always need an answer, whatever else allows them.'),
  deny: ruleList('Calls that never happen; they beat everything, also `trust: full`.'),
});

export const Consult = z.strictObject({
  backend: Filled.exactOptional().describe('The agent that is consulted; the session’s own if not set.'),
  args: Texts.prefault([]).describe('Arguments added to the consulted agent.'),
  model: Filled.exactOptional().describe('The model of the consulted agent.'),
  context: z.array(Filled).default(['ROADMAP.md']).describe('Files the consulted agent is shown, if they exist.'),
  reads: z.boolean().default(false).describe('Whether it may read files of the working directory.'),
  free_text: z
    .boolean()
    .default(false)
    .describe('Whether it may answer in its own words also where a question has options.'),
  suggest: z.boolean().default(false).describe('Whether it may suggest an answer to a person who is there.'),
  never: z
    .array(Filled)
    .default(['delete', 'deploy', 'publish', 'pay', 'credentials', 'licence', 'migrate'])
    .describe('Questions about these are never its to answer.'),
  timeout_secs: z.number().min(1).max(3600).default(55).describe('Seconds a consultation may last.'),
  min_confidence: z.number().min(0).max(1).default(0.7).describe('An answer less sure than this is no answer.'),
  max_per_session: z.number().int().min(0).default(20).describe('Consultations per session; 0 = none.'),
  max_cost_usd: z.number().min(0).default(1).describe('US dollars for consultations per session, where agents tell.'),
  max_cost_usd_per_day: z.number().min(0).default(5).describe('US dollars for consultations of all sessions in a day.'),
});
