/**
 * What a terminal program's calls of our hook mean, and what they are told. The rules speak first, at every gate; the
 * agent's own dialog is shown only for what they leave open, and beside it the call is held until somebody answers.
 */
import type { HookFace, HookMeaning, HookReply } from '../../adapters/index.js';
import type { AgentOutput, AgentState } from '../../contract/index.js';
import type { Settlement } from '../desk.js';
import type { Draft, TakesHook } from './door.js';
import type { GatedCalls } from './gated-calls.js';
import { endLine, WITHDRAWN } from './signs.js';

export interface HookCallsPorts {
  face: HookFace;
  gates: GatedCalls;
  said(output: AgentOutput): void;
  /** What rules alone say about a tool call. */
  byRules(draft: Draft): Promise<Settlement | undefined>;
  conversation(id: string): void;
  transcript(path: string): void;
  signal(state: AgentState): void;
  /** The agent says that it was given this. */
  submitted(text: string): void;
  over(): boolean;
  /** A call waits at a gate now; `dialog`: the agent shows its own dialog for it. */
  opened(dialog: boolean): void;
  /** The agent's hook asks about what is on its screen. */
  aboutScreen(): void;
}

type GateMeaning = Extract<HookMeaning, { kind: 'gate' }>;

export function hookCalls(ports: HookCallsPorts): TakesHook {
  const { face } = ports;
  return async (event, payload, gone) => {
    try {
      const meaning = face.meaning(event, payload);
      if (meaning.kind === 'gate') return await gate(ports, face, { event, payload, gone, meaning });
      if (meaning.kind === 'fact') tellFacts(ports, meaning);
      return face.pass(event);
    } catch (error) {
      return face.trouble(event, (error as Error).message);
    }
  };
}

async function gate(
  ports: HookCallsPorts,
  face: HookFace,
  { event, payload, gone, meaning }: { event: string; payload: unknown; gone: Promise<void>; meaning: GateMeaning },
): Promise<HookReply> {
  const { inquiry, dialog } = meaning;
  if (inquiry.kind === 'deliver') ports.gates.wentOn(inquiry);
  for (const output of meaning.outputs ?? []) tell(ports, output);
  const ruled = await ports.byRules(inquiry);
  if (ruled) return face.reply(event, payload, ruled);
  // No agent has a dialog of its own for a result: left to it, the result would simply be delivered.
  const hasDialog = inquiry.kind !== 'deliver';
  if (!dialog && hasDialog && face.leaveToDialog) return face.leaveToDialog(event);
  // Its own dialog is still there, or nothing is: then only a clear no keeps the call from going on unasked.
  const pass = () => (dialog ? face.pass(event) : face.reply(event, payload, WITHDRAWN));
  if (ports.over()) return pass();
  // The screen may have shown the dialog before its hook arrived: one thing, one inquiry.
  if (dialog) ports.aboutScreen();
  return ports.gates.hold(meaning, gone, {
    opened: () => {
      ports.opened(dialog);
      ports.signal(inquiry.kind === 'question' ? 'asking-question' : 'asking-permission');
    },
    empty: () => ports.signal('working'),
    reply: (settled) => face.reply(event, payload, settled),
    pass,
  });
}

function tell(ports: HookCallsPorts, output: AgentOutput): void {
  ports.gates.heard(output);
  ports.said(output);
}

function tellFacts(ports: HookCallsPorts, meaning: Extract<HookMeaning, { kind: 'fact' }>): void {
  for (const output of meaning.outputs) {
    // A terminal program shows its text, it does not hand it over; what it says at the end of a turn is all we get.
    if (output.kind === 'done' && output.text) ports.said({ kind: 'text', text: endLine(output.text) });
    tell(ports, output);
  }
  if (meaning.conversation) ports.conversation(meaning.conversation);
  if (meaning.transcript) ports.transcript(meaning.transcript);
  if (meaning.state) ports.signal(meaning.state);
  if (meaning.submitted !== undefined) ports.submitted(meaning.submitted);
}
