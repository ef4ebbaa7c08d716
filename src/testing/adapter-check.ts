/**
 * For whoever writes an adapter: what Reins would refuse about it, and whether what it reads off a recording depends on where
 * the pieces were cut. A pipe cuts anywhere, also inside a letter.
 */
import {
  type Adapter,
  adapterProblems,
  doorProblem,
  gateProblem,
  type LaunchAsk,
  type Protocol,
  type ProtocolStep,
  planProblems,
  type Settled,
} from '../adapters/index.js';
import type { AgentOutput, Decoder, SessionId } from '../contract/index.js';

/** Each mode under each trust, first with a prompt: what is wrong, one line each; none: it can be used. */
export function checkAdapter(adapter: Adapter, asked: Partial<LaunchAsk> = {}): string[] {
  const problems = adapterProblems(adapter);
  if (problems.length > 0) return problems;
  return (['autonomous', 'interactive'] as const).flatMap((mode) =>
    (['guarded', 'full'] as const).flatMap((trust) =>
      launchProblems(adapter, { ...ASK, ...asked, mode, trust }).map((problem) => `${mode}, ${trust}: ${problem}`),
    ),
  );
}

const ASK: Omit<LaunchAsk, 'mode' | 'trust'> = {
  door: 'control',
  prompt: 'say hello',
  promptFile: '/nonexistent/prompt.md',
  cwd: '/nonexistent',
  args: [],
  dir: '/nonexistent/session',
  session: 'k7f2m9qd' as SessionId,
  hook: { argv: ['/nonexistent/hook'], timeoutSecs: 60 },
  custom: { args: [], prompt_mode: 'arg' },
  env: {},
  look: { text: () => undefined, names: () => [], real: (path) => path },
};

function launchProblems(adapter: Adapter, ask: LaunchAsk): string[] {
  try {
    const door = adapter.door(ask);
    const wrong = doorProblem(door);
    if (wrong) return [wrong];
    // A refusal with its reason is a good answer.
    if (typeof door !== 'string') return [];
    const plan = adapter.plan({ ...ask, door });
    const problems = planProblems(plan);
    if (problems.length > 0 || 'refused' in plan) return problems;
    const open = ask.trust === 'guarded' ? gateProblem(plan, door) : undefined;
    return open === undefined ? [] : [open];
  } catch (error) {
    return [`it threw: ${(error as Error)?.message ?? String(error)}`];
  }
}

/** Everything at once, letter by letter, and in pieces that grow. */
function* cuts(bytes: Uint8Array): Generator<Uint8Array[]> {
  yield [bytes];
  yield Array.from(bytes, (byte) => Uint8Array.of(byte));
  const pieces: Uint8Array[] = [];
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size % 97) + 1)
    pieces.push(bytes.subarray(at, at + size));
  yield pieces;
}

const bytesOf = (recorded: string | Uint8Array): Uint8Array =>
  typeof recorded === 'string' ? new TextEncoder().encode(recorded) : recorded;

function same<T>(readings: { all: T; compared: unknown }[]): T {
  const [first, ...others] = readings.map(({ compared }) => JSON.stringify(compared));
  const other = others.find((one) => one !== first);
  if (other !== undefined) throw new Error(`what is read depends on how it is cut:\n${first}\n${other}`);
  return readings[0]!.all;
}

/** What a decoder makes of recorded output. Throws where that depends on how the output was cut. */
export function decodeRecorded(make: () => Decoder, recorded: string | Uint8Array): AgentOutput[] {
  const read = (pieces: Uint8Array[]) => {
    const decoder = make();
    const all = [...pieces.flatMap((piece) => decoder.feed(piece)), ...decoder.end()];
    return { all, compared: joined(all) };
  };
  return same([...cuts(bytesOf(recorded))].map(read));
}

/** Text may come in any number of pieces: it is to be put together as it is. */
function joined(outputs: AgentOutput[]): AgentOutput[] {
  const whole: AgentOutput[] = [];
  for (const output of outputs) {
    const last = whole.at(-1);
    if (output.kind === 'text' && last?.kind === 'text' && output.parent === last.parent)
      whole[whole.length - 1] = { ...last, text: last.text + output.text };
    else whole.push(output);
  }
  return whole;
}

/**
 * What a protocol does with recorded output, each question answered at once. Throws where what is said or asked depends on how
 * the output was cut, and where something is asked twice under one key.
 */
export function playRecorded(
  make: () => Protocol,
  recorded: string | Uint8Array,
  answer: (ask: Extract<ProtocolStep, { do: 'ask' }>) => Settled = () => ({ verdict: { kind: 'deny' } }),
  prompt?: string,
): ProtocolStep[] {
  const play = (pieces: Uint8Array[]) => {
    const protocol = make();
    const all: ProtocolStep[] = [];
    const asked = new Set<string>();
    const take = (steps: ProtocolStep[]): void => {
      for (const step of steps) {
        all.push(step);
        if (step.do !== 'ask') continue;
        if (asked.has(step.key)) throw new Error(`${step.key} was asked twice`);
        asked.add(step.key);
        take(protocol.settle(step.key, answer(step)));
      }
    };
    take(protocol.open(prompt));
    for (const piece of pieces) take(protocol.feed(piece));
    take(protocol.end());
    const outputs = joined(all.flatMap((step) => (step.do === 'output' ? [step.output] : [])));
    return { all, compared: { outputs, asks: all.filter((step) => step.do === 'ask') } };
  };
  return same([...cuts(bytesOf(recorded))].map(play));
}
