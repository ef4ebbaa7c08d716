/**
 * The tui door: the agent's own terminal program, with every structured signal it offers beside the screen. A dialog on
 * its screen and the inquiry elsewhere are one thing: whoever answers first wins, the other closes. Signals are fused by
 * trust: hook, then the agent's status file, then OSC and title, then the rendered screen. A weaker signal may turn
 * working into asking, but never clears what a stronger one holds open. Nothing the model prints is a signal.
 */
import type { HookReply, ScreenDialog, Tui } from '../../adapters/index.js';
import {
  type AgentOutput,
  type AgentState,
  type Clock,
  type ScreenShot,
  type SendReceipt,
  systemClock,
} from '../../contract/index.js';
import type { MayType, Screen } from '../../terminal/index.js';
import type { Asked, Settlement } from '../desk.js';
import type { DoorAtWork, DoorPorts } from './door.js';
import { GatedCalls } from './gated-calls.js';
import { InTurn } from './in-turn.js';
import { Looks } from './looks.js';
import { canTake, mayType } from './may-type.js';
import { ScreenDialogs } from './screen-dialogs.js';
import { askedInWords, echoed, endLine, pastPictures, WITHDRAWN } from './signs.js';

/** The agent's file is ahead of its screen by up to 2 s; one that says otherwise for longer than this is out of date. */
const FILE_COUNTS_MS = 10_000;

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
  /** The agent's own file says that it waits for somebody. */
  saysItWaits?(): boolean;
  conversation(id: string): void;
  transcript(path: string): void;
}

export class TuiDoor implements DoorAtWork {
  readonly #tui: Tui;
  readonly #ports: TuiPorts;
  readonly #screen: Screen;
  readonly #past: ReturnType<typeof pastPictures>;
  readonly #elsewhere: () => Asked | undefined;
  readonly #gates: GatedCalls;
  readonly #dialogs: ScreenDialogs;
  readonly #looks: Looks;
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
    /** The agent asks us beside its screen as well, and what it asks now: its dialogs are not asked about twice. */
    elsewhere?: () => Asked | undefined;
  }) {
    const { tui, ports, screen, clock = systemClock, elsewhere } = options;
    this.#tui = tui;
    this.#ports = ports;
    this.#screen = screen;
    this.#past = pastPictures(clock);
    this.#elsewhere = () => elsewhere?.();
    this.#gates = new GatedCalls({ ask: ports.ask, timeoutMs: options.hookTimeoutMs });
    this.#dialogs = new ScreenDialogs({
      clock,
      ask: ports.ask,
      write: (keys) => ports.write(keys),
      unsaid: (reason) => ports.unsaid?.(reason),
      hooked: tui.hook !== undefined || elsewhere !== undefined,
      elsewhere: () => this.#elsewhere() !== undefined,
      gated: () => this.#gates.open,
      now: async () => {
        const shot = await screen.shot();
        return { dialog: tui.read(shot).dialog, painted: shot.lines.join('\n') };
      },
      look: () => this.#look(),
    });
    this.#looks = new Looks({
      tui,
      clock,
      again: () => void this.#look(),
      starting: () => this.#state === 'starting',
      strange: (text) => this.#dialogs.strange(text),
    });
    screen.onFrame((shot) => this.#frame(shot));
    if (!tui.osc) return;
    screen.onOsc((code, text) => {
      const state = tui.osc?.(code, text);
      // That it rests has to be seen as well: an input box, at two looks.
      if (state && !this.#gates.open && !canTake(state)) this.#signal(state, `OSC ${code}`);
      else if (state && !this.#gates.open) void this.#look();
    });
  }

  get state(): AgentState {
    return this.#state;
  }

  feed(chunk: Uint8Array): void {
    this.#ports.show(chunk);
  }

  end(): void {
    this.#gates.end();
    this.#dialogs.end();
    this.#looks.close();
    // `/exit` has no better proof than the exit.
    if (this.#given?.text.startsWith('/')) this.#given.done('exit');
    this.#signal('ended', 'exit');
  }

  /** Resolves when the agent can take a message; never for one that dies before. A blind one: once it has shown anything. */
  ready(): Promise<void> {
    if (this.#isReady()) return Promise.resolve();
    return new Promise((resolve) => this.#readyWaiters.push(resolve));
  }

  /** Whether text may be typed now, by the last look. */
  get mayType(): MayType {
    const { blind = false, queues = false } = this.#tui;
    const { reading, settled, steadyFor } = this.#looks;
    return mayType({
      state: this.#state,
      asked: this.#asked,
      reading,
      settled,
      waits: steadyFor < FILE_COUNTS_MS && this.#ports.saysItWaits?.() === true,
      blind,
      queues,
    });
  }

  /** The same, after a look at the screen as it is now. */
  async lookAndMayType(): Promise<MayType> {
    if (!this.#tui.blind) await this.#look();
    return this.mayType;
  }

  /** What an Enter now would answer, and how to answer it instead. */
  get #asked(): string | undefined {
    const gate = this.#gates.waiting;
    const elsewhere = this.#elsewhere();
    const dialog = this.#dialogs.open ?? (gate?.dialog || elsewhere ? { kind: 'permission' as const } : undefined);
    return askedInWords(
      dialog?.kind,
      (dialog && 'asked' in dialog ? dialog.asked : undefined) ?? elsewhere ?? gate?.asked,
    );
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
    this.#gates.dropAll('the turn was interrupted');
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
      if (meaning.inquiry.kind === 'deliver') this.#gates.wentOn(meaning.inquiry);
      for (const output of meaning.outputs ?? []) this.#ports.said(output);
      // The rules speak first, at every gate; a dialog opens only for what they leave open.
      const ruled = await this.#ports.byRules(meaning.inquiry);
      if (ruled) return hook.reply(event, payload, ruled);
      // No agent has a dialog of its own for a result: left to it, the result would simply be delivered.
      const hasDialog = meaning.inquiry.kind !== 'deliver';
      if (!meaning.dialog && hasDialog && hook.leaveToDialog) return hook.leaveToDialog(event);
      // Its own dialog is still there, or nothing is: then only a clear no keeps the call from going on unasked.
      const pass = () => (meaning.dialog ? hook.pass(event) : hook.reply(event, payload, WITHDRAWN));
      if (this.#state === 'ended') return pass();
      // The screen may have shown the dialog before its hook arrived: one thing, one inquiry.
      if (meaning.dialog) this.#dialogs.hookAsks();
      return await this.#gates.hold(meaning, gone, {
        opened: () => {
          // Its dialog may stand there already: no further frame would tell.
          if (meaning.dialog) void this.#look();
          this.#signal(meaning.inquiry.kind === 'question' ? 'asking-question' : 'asking-permission', 'hook');
        },
        empty: () => this.#signal('working', 'hook'),
        reply: (settled) => hook.reply(event, payload, settled),
        pass,
      });
    } catch (error) {
      return hook.trouble(event, (error as Error).message);
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
    const reading = this.#looks.see(shot);
    const { settled } = this.#looks;
    this.#gates.see(reading);
    this.#dialogs.see(reading, settled);
    if (this.#tui.blind && settled) this.#tellReady();
    const { state } = reading;
    // One frame may say "ready" by mistake; the second look tells.
    const counts = state && (settled || !canTake(state)) && !this.#past.is(reading);
    if (counts && !this.#gates.open) this.#signal(state, 'screen');
    if (state !== 'working' || this.#tui.hook) return;
    if (this.#given?.armed) this.#given.done('screen');
  }

  async #look(): Promise<void> {
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
    this.#tellReady();
  }

  #isReady(): boolean {
    return this.#tui.blind ? this.#looks.settled : canTake(this.#state);
  }

  #tellReady(): void {
    for (const waiter of this.#readyWaiters.splice(0)) waiter();
  }
}
