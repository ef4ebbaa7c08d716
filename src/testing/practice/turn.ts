/**
 * Plays one turn: the steps of a scenario, in order, through a face. Owns what a step does and how a turn ends; the face
 * owns how it looks. An interrupt (the signal) ends the turn at the next point where anything waits.
 */
import { randomUUID } from 'node:crypto';
import { type Permit, type PracticeCall, QUESTION, type TurnEnd } from './face.js';
import { answersText, mayRun } from './gate.js';
import { misbehave } from './misbehave.js';
import type { PracticeQuestion, PracticeStep, PracticeTool } from './script.js';
import { assistant, type Stage, say, type Turn, think } from './stage.js';
import { done, failed, runTool, type ToolResult } from './tools.js';

class Interrupted extends Error {}

/** An ordinary answer costs this; the `cost` step replaces it. */
const COST_USD = 0.001;

export async function playTurn(turn: Turn): Promise<TurnEnd> {
  const stage: Stage = {
    ...turn,
    result: '',
    answer: '',
    note: '',
    allowed: true,
    words: [],
    costUsd: COST_USD,
    calls: 0,
    denials: [],
  };
  turn.session.record({ type: 'user', message: { role: 'user', content: turn.prompt }, promptSource: 'typed' });
  const during = () => (stage.calls > 0 && stage.words.length === 0 ? 'tool' : 'text');
  try {
    for (const step of turn.chosen.scenario.steps(turn.prompt, turn.chosen.arg)) {
      if (step.when && stage.allowed !== (step.when === 'allowed')) continue;
      const end = await play(step, stage);
      if (end) return end;
      if (turn.signal.aborted) return { kind: 'interrupted', during: during() };
    }
  } catch (error) {
    if (error instanceof Interrupted) return { kind: 'interrupted', during: 'tool' };
    throw error;
  }
  const text = stage.words.at(-1) ?? '';
  const usage = { input_tokens: 200 + turn.prompt.length, output_tokens: stage.words.join(' ').length + 1 };
  return { kind: 'done', text, costUsd: stage.costUsd, turns: stage.calls + 1, usage, denials: stage.denials };
}

async function play(step: PracticeStep, stage: Stage): Promise<TurnEnd | undefined> {
  if ('say' in step) await say(filled(step.say, stage), stage);
  else if ('think' in step) await think(filled(step.think, stage), stage);
  else if ('wait' in step) await stage.session.wait(step.wait, stage.signal);
  else if ('tool' in step) await use(step, stage);
  else if ('tools' in step) await Promise.all(step.tools.map((tool) => use(tool, stage)));
  else if ('ask' in step) await use({ tool: QUESTION, input: { questions: step.ask.map(asked) } }, stage);
  else if ('event' in step)
    await say(`<event topic="${step.event}">${filled(step.payload ?? '', stage)}</event>`, stage);
  else if ('cost' in step) stage.costUsd = Number(step.cost);
  else if ('exit' in step) process.exit(step.exit);
  else if ('error' in step)
    return { kind: 'error', text: step.error, status: step.status ?? 500, error: 'server_error' };
  else return misbehave(step.misbehave, step.n, stage);
  return undefined;
}

async function use(step: PracticeTool, stage: Stage): Promise<void> {
  const call: PracticeCall = { id: `toolu_${randomUUID().replaceAll('-', '')}`, tool: step.tool, input: step.input };
  const { face, session } = stage;
  stage.calls += 1;
  face.called(call);
  session.record(assistant({ type: 'tool_use', id: call.id, name: call.tool, input: call.input }));
  const patience =
    step.withdrawAfter === undefined
      ? stage.signal
      : AbortSignal.any([stage.signal, AbortSignal.timeout(step.withdrawAfter)]);
  const permit = await permitOf(step, call, { face, session, signal: patience });
  if (!permit.allowed && !stage.signal.aborted && patience.aborted) permit.reason = 'The request was withdrawn.';
  const result = permit.allowed ? await perform({ ...call, input: permit.input }, stage) : failed(permit.reason);
  // A person's "no" can stop the turn; a withdrawn request never does.
  const stopped = stage.signal.aborted || (!permit.allowed && permit.interrupt === true && !patience.aborted);
  note(stage, { call, permit, result });
  face.returned(call, result);
  const content = [{ tool_use_id: call.id, type: 'tool_result', content: result.text, is_error: !result.ok }];
  session.record({ type: 'user', message: { role: 'user', content }, toolUseResult: result.data });
  const ran = permit.allowed ? permit.input : call.input;
  const details = { tool_name: call.tool, tool_input: ran, tool_use_id: call.id, tool_response: result.data };
  if (permit.allowed) await session.hooks.run(result.ok ? 'PostToolUse' : 'PostToolUseFailure', details, call.tool);
  if (stopped) throw new Interrupted();
}

/** May it run? An ungated step runs whatever is said, or without anything being said. */
async function permitOf(step: PracticeTool, call: PracticeCall, around: Parameters<typeof mayRun>[1]): Promise<Permit> {
  const { ungated } = step;
  if (ungated === 'unasked') return { allowed: true, input: call.input };
  const permit = await mayRun(call, around);
  if (ungated === 'anyway') return { allowed: true, input: call.input };
  return permit.allowed && ungated ? { allowed: true, input: ungated.runs } : permit;
}

async function perform(call: PracticeCall, stage: Stage): Promise<ToolResult> {
  if (call.tool === QUESTION) return done(answersText(call.input), call.input);
  return runTool(call, { cwd: stage.session.cwd, signal: stage.signal });
}

function note(
  stage: Stage,
  { call, permit, result }: { call: PracticeCall; permit: Permit; result: ToolResult },
): void {
  stage.allowed = permit.allowed;
  stage.result = result.text;
  if (!permit.allowed) stage.denials.push(call);
  else if (call.tool === QUESTION)
    stage.answer =
      Object.values((permit.input.answers ?? {}) as object).join('; ') || String(permit.input.response ?? '');
  stage.note = permit.allowed && call.tool === QUESTION ? noteOf(permit.input) : '';
}

/** Who answered, where it was not the user. */
function noteOf({ annotations }: Record<string, unknown>): string {
  const [first] = Object.values((annotations ?? {}) as Record<string, { notes?: unknown }>);
  return typeof first?.notes === 'string' ? ` (${first.notes})` : '';
}

function asked(question: PracticeQuestion): Record<string, unknown> {
  const options = question.options.map((option) =>
    typeof option === 'string' ? { label: option, description: '' } : option,
  );
  return { header: 'Question', multiSelect: false, ...question, options };
}

function filled(text: string, { prompt, result, answer, note, chosen }: Stage): string {
  const fields: Record<string, string> = { prompt, result, answer, note, arg: chosen.arg };
  return text.replace(/\{\{(prompt|result|answer|note|arg)\}\}/g, (_whole, name: string) => fields[name] ?? '');
}
