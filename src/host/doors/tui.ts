/**
 * The tui door: the agent's own terminal program, with every structured signal it offers beside the screen. A dialog on
 * its screen and the inquiry elsewhere are one thing: whoever answers first wins, the other closes. Signals are fused by
 * trust: hook, then the agent's status file, then OSC and title, then the rendered screen. A weaker signal may turn
 * working into asking, but never clears what a stronger one holds open. Nothing the model prints is a signal.
 */
import type { HookReply, ScreenDialog, ScreenReading, Tui } from '../../adapters/index.js';
import type { AgentOutput, AgentState, ScreenShot, SendReceipt } from '../../contract/index.js';
import type { Screen } from '../../terminal/index.js';
import type { Asked, Settlement } from '../desk.js';
import type { DoorAtWork, DoorPorts } from './door.js';

/** A hook must be answered a little before the agent loses patience with it. */
const HOOK_MARGIN_MS = 5_000;

interface Gate {
  asked: Asked;
  /** The agent shows its own dialog for it. */
  dialog: boolean;
  /** Which dialog on the screen is its own, once it was seen. */
  seen: string | undefined;
  inquiry: ScreenDialog['inquiry'];
}

export interface TuiPorts extends DoorPorts {
  show(chunk: Uint8Array): void;
  /** The one submit path (submit.ts), with evidence that comes as `submitted`. */
  type(text: string, evidence: Promise<string>): Promise<SendReceipt>;
  /** What rules alone say about a tool call: the agent's own dialog is shown only for what they leave open. */
  byRules(draft: ScreenDialog['inquiry']): Promise<Settlement | undefined>;
  conversation(id: string): void;
  transcript(path: string): void;
}

export class TuiDoor implements DoorAtWork {
  readonly #tui: Tui;
  readonly #ports: TuiPorts;
  readonly #screen: Screen;
  readonly #hookTimeoutMs: number;
  #gates = new Set<Gate>();
  #dialog: { key: string; asked: Asked; of: ScreenDialog } | undefined;
  #state: AgentState = 'starting';
  #readyWaiters: (() => void)[] = [];
  #submitWaiters: { text: string; done: (evidence: string) => void }[] = [];

  constructor(options: { tui: Tui; ports: TuiPorts; screen: Screen; hookTimeoutMs: number }) {
    this.#tui = options.tui;
    this.#ports = options.ports;
    this.#screen = options.screen;
    this.#hookTimeoutMs = options.hookTimeoutMs;
    this.#screen.onFrame((shot) => this.#frame(shot));
    if (this.#tui.osc) {
      this.#screen.onOsc((code, text) => {
        const state = this.#tui.osc?.(code, text);
        if (state) this.#signal(state, `OSC ${code}`);
      });
    }
  }

  get state(): AgentState {
    return this.#state;
  }

  feed(chunk: Uint8Array): void {
    this.#ports.show(chunk);
  }

  end(): void {
    for (const gate of this.#gates) gate.asked.withdraw('the agent ended');
    this.#dialog?.asked.withdraw('the agent ended');
    this.#signal('ended', 'exit');
  }

  /** Resolves when the agent can take a message; never for one that dies before. */
  ready(): Promise<void> {
    if (canTake(this.#state)) return Promise.resolve();
    return new Promise((resolve) => this.#readyWaiters.push(resolve));
  }

  /** What an Enter now would answer, if anything. */
  get dialogOpen(): string | undefined {
    if (this.#dialog) return `a ${this.#dialog.of.kind} dialog`;
    return [...this.#gates].some((gate) => gate.dialog) ? 'a permission dialog' : undefined;
  }

  get readiness(): 'ready' | 'busy' | 'no' {
    if (canTake(this.#state)) return 'ready';
    return this.#state === 'starting' || this.#state === 'ended' ? 'no' : 'busy';
  }

  async submit(text: string): Promise<SendReceipt> {
    const evidence = new Promise<string>((done) => this.#submitWaiters.push({ text, done }));
    return this.#ports.type(text, evidence);
  }

  async interrupt(): Promise<void> {
    await this.#ports.write(this.#tui.interruptKeys);
    for (const gate of [...this.#gates]) this.#drop(gate, 'the turn was interrupted');
  }

  /** One call of our hook. Contract: always a reply; anything unclear is a refusal. */
  async hook(event: string, payload: unknown, gone: Promise<void>): Promise<HookReply> {
    const hook = this.#tui.hook;
    if (!hook) return { stdout: '', stderr: 'Reins: this session expects no hook\n', exit: 2 };
    try {
      const meaning = hook.meaning(event, payload);
      if (meaning.kind === 'ignore') return hook.pass(event);
      if (meaning.kind === 'fact') {
        this.#facts(meaning);
        return hook.pass(event);
      }
      if (meaning.inquiry.kind === 'deliver') this.#wentOn(meaning.inquiry);
      for (const output of meaning.outputs ?? []) this.#ports.said(output);
      // The rules speak first, at every gate; a dialog opens only for what they leave open.
      const ruled = await this.#ports.byRules(meaning.inquiry);
      if (ruled) return hook.reply(event, payload, ruled);
      if (!meaning.dialog && hook.leaveToDialog) return hook.leaveToDialog(event);
      return await this.#gate(
        meaning,
        gone,
        (settled) => hook.reply(event, payload, settled),
        () => hook.pass(event),
      );
    } catch (error) {
      return hook.trouble(event, (error as Error).message);
    }
  }

  async #gate(
    meaning: { inquiry: ScreenDialog['inquiry']; dialog: boolean },
    gone: Promise<void>,
    reply: (settled: Settlement) => HookReply,
    pass: () => HookReply,
  ): Promise<HookReply> {
    // The screen may have shown the dialog before its hook arrived: one thing, one inquiry.
    this.#dialog?.asked.withdraw('its hook asks');
    this.#dialog = undefined;
    const asked = this.#ports.ask(meaning.inquiry, { deadlineMs: this.#hookTimeoutMs - HOOK_MARGIN_MS });
    const gate: Gate = { asked, dialog: meaning.dialog, seen: undefined, inquiry: meaning.inquiry };
    this.#gates.add(gate);
    this.#signal(meaning.inquiry.kind === 'question' ? 'asking-question' : 'asking-permission', 'hook');
    void gone.then(() => this.#drop(gate, 'the agent no longer waits'));
    const settled = await asked.settled;
    this.#gates.delete(gate);
    if (this.#gates.size === 0) this.#signal('working', 'hook');
    if (!settled) return pass();
    asked.delivered();
    return reply(settled);
  }

  #drop(gate: Gate, reason: string): void {
    if (!this.#gates.delete(gate)) return;
    gate.asked.withdraw(reason);
  }

  /** A tool that has run is no longer waiting for permission, however the agent came by it. */
  #wentOn(delivered: ScreenDialog['inquiry']): void {
    const call = JSON.stringify([delivered.tool, delivered.input]);
    for (const gate of [...this.#gates]) {
      if (gate.inquiry.kind !== 'run' && gate.inquiry.kind !== 'question') continue;
      if (JSON.stringify([gate.inquiry.tool, gate.inquiry.input]) === call)
        this.#drop(gate, 'answered in the agent’s own dialog');
    }
  }

  #facts(meaning: {
    outputs: Parameters<DoorPorts['said']>[0][];
    submitted?: string;
    transcript?: string;
    conversation?: string;
    state?: AgentState;
  }): void {
    for (const output of meaning.outputs) this.#said(output);
    if (meaning.conversation) this.#ports.conversation(meaning.conversation);
    if (meaning.transcript) this.#ports.transcript(meaning.transcript);
    if (meaning.state) this.#signal(meaning.state, 'hook');
    if (meaning.submitted !== undefined) this.#submitted(meaning.submitted);
  }

  /** A terminal program shows its text, it does not hand it over; what it says at the end of a turn is all we get. */
  #said(output: AgentOutput): void {
    if (output.kind === 'done' && output.text) this.#ports.said({ kind: 'text', text: endLine(output.text) });
    this.#ports.said(output);
  }

  /** The agent says what it was given: proof for the message that waits for it. */
  #submitted(text: string): void {
    const squeezed = squeeze(text);
    const index = this.#submitWaiters.findIndex((waiter) => squeezed.includes(squeeze(waiter.text)));
    if (index >= 0) this.#submitWaiters.splice(index, 1)[0]!.done('hook');
  }

  #frame(shot: ScreenShot): void {
    const reading = this.#tui.read(shot);
    this.#dialogs(reading);
    if (reading.state && this.#gates.size === 0) this.#signal(reading.state, 'screen');
    if (reading.state === 'working' && !this.#tui.hook) {
      for (const waiter of this.#submitWaiters.splice(0)) waiter.done('screen');
    }
  }

  #dialogs(reading: ScreenReading): void {
    const shown = reading.dialog?.key;
    const taken = new Set([...this.#gates].map((gate) => gate.seen));
    for (const gate of [...this.#gates].filter((one) => one.dialog)) {
      if (gate.seen === undefined) {
        // Dialogs come one at a time, in the order of their hooks: the oldest without one owns the new one.
        if (shown !== undefined && !taken.has(shown)) {
          gate.seen = shown;
          taken.add(shown);
        }
      } else if (gate.seen !== shown && (shown !== undefined || reading.state !== undefined)) {
        // It was there and is gone: a person answered in the agent's own terminal.
        this.#drop(gate, 'answered in the agent’s own dialog');
      }
    }
    if (this.#gates.size > 0) return;
    if (this.#dialog && this.#dialog.key !== reading.dialog?.key) {
      this.#dialog.asked.withdraw('answered in the agent’s own dialog');
      this.#dialog = undefined;
    }
    if (reading.dialog && !this.#dialog) this.#raise(reading.dialog);
  }

  /** A dialog that only the screen tells of: answered with keys that were read off its own labels, or not at all. */
  #raise(dialog: ScreenDialog): void {
    const asked = this.#ports.ask(dialog.inquiry);
    this.#dialog = { key: dialog.key, asked, of: dialog };
    void asked.settled.then(async (settled) => {
      if (!settled || this.#dialog?.asked !== asked) return;
      const keys = dialog.keys(settled) ?? dialog.keys({ verdict: { kind: 'deny' } });
      for (const key of keys ?? []) await this.#ports.write(key);
      this.#dialog = undefined;
      if (keys) asked.delivered();
      else asked.withdraw('this dialog can only be answered in the agent’s own terminal');
    });
  }

  #signal(state: AgentState, because: string): void {
    if (state === this.#state || this.#state === 'ended') return;
    this.#state = state;
    this.#ports.state(state, because);
    if (!canTake(state)) return;
    for (const waiter of this.#readyWaiters.splice(0)) waiter();
  }
}

const canTake = (state: AgentState): boolean => state === 'ready' || state === 'idle';

/** Agents trim, re-wrap and cut what they echo: compare the letters, not the spaces. */
const squeeze = (text: string): string => text.replace(/\s+/g, '').slice(0, 2000);

const endLine = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
