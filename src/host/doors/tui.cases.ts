/** A terminal program’s door, with a real screen and inquiries of its own. */
import { afterEach, beforeEach } from 'vitest';
import type { HookFace, InquiryDraft, ScreenDialog, Tui } from '../../adapters/index.js';
import {
  type AgentOutput,
  HandClock,
  type InquiryId,
  type ScreenShot,
  type SendReceipt,
} from '../../contract/index.js';
import { Screen } from '../../terminal/index.js';
import type { Asked, Settlement } from '../desk.js';
import { TuiDoor } from './tui.js';

export class OpenInquiry implements Asked {
  readonly id = 'k7f2m9qd.1' as InquiryId;
  readonly draft: InquiryDraft;
  end: string | undefined;
  readonly held: boolean;
  settle: (settlement: Settlement | undefined) => void = () => undefined;
  readonly settled = new Promise<Settlement | undefined>((resolve) => {
    this.settle = resolve;
  });
  constructor(draft: InquiryDraft, held: boolean) {
    this.draft = draft;
    this.held = held;
  }
  delivered(): void {
    this.end ??= 'delivered';
  }
  withdraw(reason: string, there?: 'there'): void {
    this.end ??= there ?? reason;
    this.settle(undefined);
  }
}

export const YES: Settlement = { verdict: { kind: 'allow' } };
export const NO: Settlement = { verdict: { kind: 'deny' } };
export const NEVER = new Promise<void>(() => undefined);

/** A small terminal program: its last line says what it does. Everything above is what the model printed. */
export function read({ lines }: ScreenShot): ReturnType<Tui['read']> {
  const last = lines.findLast((line) => line.trim() !== '') ?? '';
  const [word, name = ''] = last.trim().split(' ');
  if (word === 'READY') return { state: 'ready', composer: true };
  if (word === 'WORKING') return { state: 'working', composer: true };
  if (word === 'PAINTING') return { state: 'asking-permission' };
  if (word === 'CUT') return { state: 'asking-permission', unread: lines.join('\n').trim() };
  const kind = ({ DIALOG: 'permission', FIRST: 'first-run' } as const)[word ?? ''];
  if (!kind) return {};
  const dialog: ScreenDialog = {
    key: last.trim(),
    kind,
    inquiry: { kind: 'run', tool: name, input: { screen: name }, exclusive: false },
    keys: ({ verdict }) =>
      verdict.kind === 'allow' && verdict.input === undefined
        ? ['1']
        : name === 'stuck'
          ? undefined
          : verdict.kind === 'deny'
            ? ['2', 'x']
            : undefined,
  };
  return { state: 'asking-permission', dialog };
}

export const draft = (kind: 'run' | 'deliver', tool: string): InquiryDraft => ({
  kind,
  tool,
  input: { command: tool },
  exclusive: false,
});

export const hookFace: HookFace = {
  meaning(event, payload) {
    const text = String(payload);
    if (event === 'Prompt') return { kind: 'fact', outputs: [], submitted: text, state: 'working' };
    if (event === 'Rest') return { kind: 'fact', outputs: [], state: 'idle' };
    if (event === 'Gate')
      return {
        kind: 'gate',
        inquiry: draft('run', text),
        dialog: false,
        outputs: [{ kind: 'tool', call: 'c', tool: text, input: { command: text } }],
      };
    // As of a question: the result tells the input with the answers in it, and nobody is asked about it.
    if (event === 'Returned')
      return {
        kind: 'fact',
        outputs: [
          { kind: 'tool-result', call: 'c', ok: true, text: '', tool: text, input: { command: text, answers: {} } },
        ],
      };
    if (event === 'Request') return { kind: 'gate', inquiry: draft('run', text), dialog: true };
    if (event === 'Result') return { kind: 'gate', inquiry: draft('deliver', text), dialog: false };
    if (event === 'Broken') throw new Error('cannot read it');
    return { kind: 'ignore' };
  },
  reply: (event, _payload, { verdict }) => ({ stdout: `${event} ${verdict.kind}`, stderr: '', exit: 0 }),
  trouble: (_event, reason) => ({ stdout: '', stderr: reason, exit: 2 }),
  pass: (event) => ({ stdout: `${event} pass`, stderr: '', exit: 0 }),
  leaveToDialog: (event) => ({ stdout: `${event} dialog`, stderr: '', exit: 0 }),
};

export let screen: Screen;
export let clock: HandClock;
export let inquiries: OpenInquiry[];
export let pressed: string[];
export let states: string[];
export let said: AgentOutput[];
export let ruled: Settlement | undefined;
export let door: TuiDoor;
export let waits: boolean;
export let typed: (text: string, evidence: Promise<string>) => Promise<SendReceipt>;

export function start(hook: HookFace | undefined, blind = false): void {
  const tui: Tui = {
    read: blind ? () => ({}) : read,
    blind,
    osc: (code) => (code === 777 ? 'working' : undefined),
    ...(hook ? { hook } : {}),
    queues: true,
    submit: { pasteSettleMs: 0, slash: 'typed', defuse: [] },
    interruptKeys: '\x1b',
    model: (name) => `/model ${name}`,
  };
  door = new TuiDoor({
    tui,
    screen,
    hookTimeoutMs: 60_000,
    clock,
    ports: {
      show: (chunk) => screen.write(chunk),
      said: (output) => said.push(output),
      state: (state, because) => states.push(`${state} (${because})`),
      ask: (given, options) => {
        const inquiry = new OpenInquiry(given, options?.held === true);
        inquiries.push(inquiry);
        return inquiry;
      },
      byRules: async () => ruled,
      saysItWaits: () => waits,
      write: async (bytes) => {
        pressed.push(String(bytes));
        return 'written';
      },
      endInput: () => undefined,
      type: (text, evidence) => typed(text, evidence),
      conversation: () => undefined,
      transcript: () => undefined,
    },
  });
}

beforeEach(() => {
  screen = new Screen({ size: { cols: 60, rows: 10 } });
  clock = new HandClock();
  [inquiries, pressed, states, said, ruled, waits] = [[], [], [], [], undefined, false];
  typed = async (_, evidence) => ({ verdict: 'submitted', evidence: await evidence });
});

afterEach(() => {
  door.end();
  screen.close();
});

/** Draws a screen, and waits until the door has looked at it. */
export async function show(...lines: string[]): Promise<void> {
  const seen = new Promise<void>((resolve) => {
    const off = screen.onFrame((shot) => {
      if (shot.lines.findLast((line) => line.trim() !== '')?.trim() !== lines.at(-1)) return;
      off();
      resolve();
    });
  });
  door.feed(Buffer.from(`\x1b[2J\x1b[H${lines.join('\r\n')}`));
  await seen;
}
export const later = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The second look: only what it sees as well counts. */
export async function settle(): Promise<void> {
  clock.advance(50);
  await screen.shot();
  await later();
}

/** Time passes, and nothing is drawn. */
export async function stillFor(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    clock.advance(Math.min(500, left));
    await screen.shot();
    await later();
  }
}

/** Draws a screen that stays. */
export async function stay(...lines: string[]): Promise<void> {
  await show(...lines);
  await settle();
}

/** What the rules say to a call. */
export function rule(settlement: Settlement | undefined): void {
  ruled = settlement;
}

/** How a message is typed. */
export function typeAs(how: typeof typed): void {
  typed = how;
}

/** Whether its own file says that it waits. */
export function waitsNow(yes: boolean): void {
  waits = yes;
}
