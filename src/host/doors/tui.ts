/**
 * The tui door: the agent's own terminal program, with every structured signal it offers beside the screen. A dialog on
 * its screen and the inquiry elsewhere are one thing: whoever answers first wins, the other closes. Signals are fused by
 * trust: hook, then the agent's status file, then OSC and title, then the rendered screen. A weaker signal may turn
 * working into asking, but never clears what a stronger one holds open. Nothing the model prints is a signal.
 */
import type { HookReply, ScreenDialog, ScreenReading, Tui } from '../../adapters/index.js';
import {
  type AgentOutput,
  type AgentState,
  type Clock,
  type ScreenShot,
  type SendReceipt,
  systemClock,
} from '../../contract/index.js';
import type { Screen } from '../../terminal/index.js';
import type { Asked, Settlement } from '../desk.js';
import type { DoorAtWork, DoorPorts } from './door.js';
import { InTurn } from './in-turn.js';
import { pressKeys } from './press-keys.js';
import { canTake, echoed, endLine, isGone, pastPictures, WITHDRAWN } from './signs.js';

/** A hook must be answered a little before the agent loses patience with it. */
const HOOK_MARGIN_MS = 5_000;

/** A dialog is painted before its hook has started: only one that stays alone this long is the screen's own to tell. */
const HOOK_LEAD_MS = 1_000;

/** An agent repaints at once; a dialog that still stands after this long did not take its keys. */
const REPAINT_MS = 2_000;

interface Gate {
  asked: Asked;
  /** The agent shows its own dialog for it. */
  dialog: boolean;
  /** Which dialog on the screen is its own, once it was seen. */
  seen: string | undefined;
  /** Something we cannot read stood in place of the input box while it waited. */
  shown?: boolean;
  inquiry: ScreenDialog['inquiry'];
}

interface SubmitWaiter {
  text: string;
  done: (evidence: string) => void;
  /** The agent was free after the message was given: only from then on is its work a sign of it. */
  armed: boolean;
}

export interface TuiPorts extends DoorPorts {
  show(chunk: Uint8Array): void;
  /** The one submit path (submit.ts), with evidence that comes as `submitted`. */
  type(text: string, evidence: Promise<string>): Promise<SendReceipt>;
  /** What rules alone say about a tool call: the agent's own dialog is shown only for what they leave open. */
  byRules(draft: ScreenDialog['inquiry']): Promise<Settlement | undefined>;
  /** Why a dialog was refused, which its keys could not tell. */
  unsaid?(reason: string): void;
  conversation(id: string): void;
  transcript(path: string): void;
}

export class TuiDoor implements DoorAtWork {
  readonly #tui: Tui;
  readonly #ports: TuiPorts;
  readonly #screen: Screen;
  readonly #hookTimeoutMs: number;
  readonly #clock: Clock;
  readonly #past: ReturnType<typeof pastPictures>;
  readonly #elsewhere: (() => boolean) | undefined;
  #gates = new Set<Gate>();
  #dialog: { key: string; asked: Asked; of: ScreenDialog } | undefined;
  /** The dialog the last frame showed that is nobody's yet: the next hook's own, if it comes without a new frame. */
  #unclaimed: string | undefined;
  #lastShown: string | undefined;
  /** On the screen, but perhaps only ahead of its hook. */
  #coming: { dialog: ScreenDialog; cancel: () => void } | undefined;
  /** Answered with keys, and perhaps not yet repainted: the same picture is not a new question. */
  #answered: { key: string; cancel: () => void } | undefined;
  #state: AgentState = 'starting';
  #readyWaiters: (() => void)[] = [];
  readonly #inTurn = new InTurn();
  /** The message that is being typed, or waits for its proof. */
  #given: SubmitWaiter | undefined;

  constructor(options: {
    tui: Tui;
    ports: TuiPorts;
    screen: Screen;
    hookTimeoutMs: number;
    clock?: Clock;
    /** The agent asks us beside its screen as well, and whether it does so now: its dialogs are not asked about twice. */
    elsewhere?: () => boolean;
  }) {
    this.#tui = options.tui;
    this.#ports = options.ports;
    this.#screen = options.screen;
    this.#hookTimeoutMs = options.hookTimeoutMs;
    this.#clock = options.clock ?? systemClock;
    this.#past = pastPictures(this.#clock);
    this.#elsewhere = options.elsewhere;
    this.#screen.onFrame((shot) => this.#frame(shot));
    if (this.#tui.osc) {
      this.#screen.onOsc((code, text) => {
        const state = this.#tui.osc?.(code, text);
        if (state && this.#gates.size === 0) this.#signal(state, `OSC ${code}`);
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
    this.#dialog = undefined;
    this.#forgetComing();
    this.#answered?.cancel();
    // `/exit` has no better proof than the exit.
    if (this.#given?.text.startsWith('/')) this.#given.done('exit');
    this.#signal('ended', 'exit');
  }

  /** Resolves when the agent can take a message; never for one that dies before. */
  ready(): Promise<void> {
    if (canTake(this.#state)) return Promise.resolve();
    return new Promise((resolve) => this.#readyWaiters.push(resolve));
  }

  /** What an Enter now would answer, if anything. */
  get dialogOpen(): string | undefined {
    const dialog = this.#dialog?.of ?? this.#coming?.dialog;
    if (dialog) return `a ${dialog.kind} dialog`;
    const gated = this.#elsewhere?.() || [...this.#gates].some((gate) => gate.dialog);
    return gated ? 'a permission dialog' : undefined;
  }

  get readiness(): 'ready' | 'busy' | 'no' {
    if (canTake(this.#state)) return 'ready';
    return this.#state === 'starting' || this.#state === 'ended' ? 'no' : 'busy';
  }

  submit(text: string, first?: () => Promise<void>): Promise<SendReceipt> {
    return this.#inTurn.submit(() => {
      const evidence = new Promise<string>((done) => {
        this.#given = { text, done, armed: canTake(this.#state) };
      });
      return this.#ports.type(text, evidence).finally(() => {
        // Whoever waits no longer must not take the proof of the next message.
        this.#given = undefined;
      });
    }, first);
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
      // No agent has a dialog of its own for a result: left to it, the result would simply be delivered.
      const hasDialog = meaning.inquiry.kind !== 'deliver';
      if (!meaning.dialog && hasDialog && hook.leaveToDialog) return hook.leaveToDialog(event);
      return await this.#gate(
        meaning,
        gone,
        (settled) => hook.reply(event, payload, settled),
        // Its own dialog is still there, or nothing is: then only a clear no keeps the call from going on unasked.
        () => (meaning.dialog ? hook.pass(event) : hook.reply(event, payload, WITHDRAWN)),
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
    if (this.#state === 'ended') return pass();
    if (meaning.dialog) {
      // The screen may have shown the dialog before its hook arrived: one thing, one inquiry.
      this.#forgetComing();
      this.#dialog?.asked.withdraw('its hook asks');
      this.#dialog = undefined;
    }
    const asked = this.#ports.ask(meaning.inquiry, { deadlineMs: this.#hookTimeoutMs - HOOK_MARGIN_MS });
    const seen = meaning.dialog ? this.#unclaimed : undefined;
    if (meaning.dialog) this.#unclaimed = undefined;
    const gate: Gate = { asked, dialog: meaning.dialog, seen, inquiry: meaning.inquiry };
    this.#gates.add(gate);
    // Its dialog may stand there already: no further frame would tell.
    if (meaning.dialog) void this.#readScreen();
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
    if (meaning.submitted !== undefined) this.#submitted(meaning.submitted, 'hook');
  }

  /** A terminal program shows its text, it does not hand it over; what it says at the end of a turn is all we get. */
  #said(output: AgentOutput): void {
    if (output.kind === 'done' && output.text) this.#ports.said({ kind: 'text', text: endLine(output.text) });
    this.#ports.said(output);
  }

  /** The agent's transcript holds this prompt, or its screen asks about it: as good a proof as its hook. */
  recorded(text: string, evidence: 'transcript' | 'screen' = 'transcript'): void {
    this.#submitted(text, evidence);
  }

  /** The agent says what it was given: proof for the message that waits for it. */
  #submitted(text: string, evidence: string): void {
    if (this.#given && echoed(text, this.#given.text)) this.#given.done(evidence);
  }

  #frame(shot: ScreenShot): void {
    if (this.#state === 'ended') return;
    const reading = this.#tui.read(shot);
    this.#dialogs(reading);
    if (reading.state && this.#gates.size === 0 && !this.#past.is(reading)) this.#signal(reading.state, 'screen');
    if (reading.state !== 'working' || this.#tui.hook) return;
    if (this.#given?.armed) this.#given.done('screen');
  }

  #dialogs(reading: ScreenReading): void {
    this.#noticePicture(reading);
    for (const gate of [...this.#gates].filter((one) => one.dialog)) {
      if (gate.seen === undefined) {
        // Dialogs come one at a time, in the order of their hooks: the oldest without one owns the new one.
        if (this.#unclaimed !== undefined) {
          gate.seen = this.#unclaimed;
          this.#unclaimed = undefined;
        } else if (reading.state === undefined || reading.state.startsWith('asking')) {
          gate.shown = true;
        } else if (gate.shown && canTake(reading.state)) {
          // It showed in a shape we cannot read, and the input box is back.
          this.#drop(gate, 'answered in the agent’s own dialog');
        }
      } else if (isGone(gate.seen, reading)) {
        // It was there and is gone: a person answered in the agent's own terminal.
        this.#drop(gate, 'answered in the agent’s own dialog');
      }
    }
    if (this.#coming && isGone(this.#coming.dialog.key, reading)) this.#forgetComing();
    if (this.#answered && isGone(this.#answered.key, reading)) {
      this.#answered.cancel();
      this.#answered = undefined;
    }
    if (this.#gates.size > 0) return;
    if (this.#dialog && isGone(this.#dialog.key, reading)) {
      this.#dialog.asked.withdraw('answered in the agent’s own dialog');
      this.#dialog = undefined;
    }
    if (reading.dialog && !this.#dialog && reading.dialog.key !== this.#answered?.key) this.#appeared(reading.dialog);
  }

  /** A picture is new once: one that still stands after its answer is not the next hook's. */
  #noticePicture(reading: ScreenReading): void {
    if (this.#lastShown !== undefined && isGone(this.#lastShown, reading)) {
      this.#lastShown = undefined;
      this.#unclaimed = undefined;
    }
    const shown = reading.dialog?.key;
    if (shown === undefined || shown === this.#lastShown) return;
    this.#lastShown = shown;
    this.#unclaimed = shown;
  }

  #appeared(dialog: ScreenDialog): void {
    const ours = this.#tui.hook !== undefined || this.#elsewhere !== undefined;
    const hooked = ours && (dialog.kind === 'permission' || dialog.kind === 'question');
    if (!hooked) this.#raise(dialog);
    else if (!this.#coming && this.#elsewhere?.()) this.#coming = { dialog, cancel: () => undefined };
    else if (!this.#coming) {
      const cancel = this.#clock.after(HOOK_LEAD_MS, () => {
        if (this.#elsewhere?.()) return;
        this.#coming = undefined;
        if (this.#gates.size === 0 && !this.#dialog) this.#raise(dialog);
      });
      this.#coming = { dialog, cancel };
    }
  }

  #forgetComing(): void {
    this.#coming?.cancel();
    this.#coming = undefined;
  }

  /** A dialog that only the screen tells of: answered with keys that were read off its own labels, or not at all. */
  #raise(dialog: ScreenDialog): void {
    const asked = this.#ports.ask(dialog.inquiry);
    this.#dialog = { key: dialog.key, asked, of: dialog };
    void asked.settled.then(async (settled) => {
      if (!settled || this.#dialog?.asked !== asked) return;
      const told = await this.#press(dialog, settled).catch((error: Error) => error.message);
      if (this.#dialog?.asked === asked) this.#dialog = undefined;
      if (told !== 'told') return asked.withdraw(told);
      asked.delivered();
      const why = settled.verdict.kind === 'deny' && dialog.kind !== 'first-run' ? settled.reason : undefined;
      if (why) this.#ports.unsaid?.(why);
    });
  }

  /** `told`, or why the agent was not told what was answered. */
  #press(dialog: ScreenDialog, settled: Settlement): Promise<string> {
    return pressKeys({
      dialog,
      settled,
      clock: this.#clock,
      now: async () => this.#tui.read(await this.#screen.shot()).dialog,
      painted: async () => (await this.#screen.shot()).lines.join('\n'),
      write: (key) => this.#ports.write(key),
      pressing: () => {
        const cancel = this.#clock.after(REPAINT_MS, () => void this.#lookAgain());
        this.#answered = { key: dialog.key, cancel };
      },
    });
  }

  /** The keys were swallowed: what is still asked is asked again. */
  async #lookAgain(): Promise<void> {
    this.#answered = undefined;
    await this.#readScreen();
  }

  async #readScreen(): Promise<void> {
    const shot = await this.#screen.shot().catch(() => undefined);
    if (shot) this.#frame(shot);
  }

  #signal(state: AgentState, because: string): void {
    this.#past.heard(state, because);
    if (state === this.#state || this.#state === 'ended') return;
    this.#state = state;
    this.#ports.state(state, because);
    if (!canTake(state)) return;
    if (this.#given) this.#given.armed = true;
    for (const waiter of this.#readyWaiters.splice(0)) waiter();
  }
}
