/**
 * The tui door: the agent's own terminal program, with every structured signal it offers beside the screen. A dialog on
 * its screen and the inquiry elsewhere are one thing: whoever answers first wins, the other closes. Signals are fused by
 * trust: hook, then the agent's status file, then OSC and title, then the rendered screen. A weaker signal may turn
 * working into asking, but never clears what a stronger one holds open. Nothing the model prints is a signal.
 */
import type { HookFace, ScreenDialog, Tui } from '../../adapters/index.js';
import { type AgentState, type Clock, type ScreenShot, type SendReceipt, systemClock } from '../../contract/index.js';
import type { MayType, Screen } from '../../terminal/index.js';
import type { Asked, Settlement } from '../desk.js';
import { type DoorAtWork, type DoorPorts, NO_MODEL, type TakesHook } from './door.js';
import { GatedCalls } from './gated-calls.js';
import { GivenMessage } from './given-message.js';
import { hookCalls } from './hook-calls.js';
import { Looks } from './looks.js';
import { canTake, mayType } from './may-type.js';
import { ScreenDialogs } from './screen-dialogs.js';
import { askedInWords, pastPictures } from './signs.js';

/** The agent's file is ahead of its screen by up to 2 s; one that says otherwise for longer than this is out of date. */
const FILE_COUNTS_MS = 10_000;

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
  readonly hook: TakesHook | undefined;
  readonly lastWords = '';
  readonly #tui: Tui;
  readonly #ports: TuiPorts;
  readonly #screen: Screen;
  readonly #past: ReturnType<typeof pastPictures>;
  readonly #elsewhere: () => Asked | undefined;
  readonly #gates: GatedCalls;
  readonly #dialogs: ScreenDialogs;
  readonly #looks: Looks;
  readonly #queues: boolean;
  #state: AgentState = 'starting';
  /** Its turn is over and it is sent away: what it shows now is its leaving. */
  #leaving = false;
  #readyWaiters: (() => void)[] = [];
  readonly #given = new GivenMessage();

  constructor(options: {
    tui: Tui;
    ports: TuiPorts;
    screen: Screen;
    hookTimeoutMs: number;
    clock?: Clock;
    /** The agent asks us beside its screen as well, and what it asks now: its dialogs are not asked about twice. */
    elsewhere?: () => Asked | undefined;
    /** Text may be typed while a turn runs, where the agent keeps it; else it waits. */
    intoTurn?: boolean;
  }) {
    const { tui, ports, screen, clock = systemClock, elsewhere, intoTurn = true } = options;
    this.#queues = intoTurn && tui.queues === true;
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
        return { reading: tui.read(shot), painted: shot.lines.join('\n') };
      },
      look: () => this.#look(),
    });
    this.#looks = new Looks({
      tui,
      clock,
      again: () => void this.#look(),
      starting: () => this.#state === 'starting',
      strange: (text) => {
        if (!this.#leaving) this.#dialogs.strange(text);
      },
    });
    this.hook = tui.hook && this.#hookCalls(tui.hook);
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
    this.#given.exited();
    this.#signal('ended', 'exit');
  }

  /** Resolves when the agent can take a message; never for one that dies before. A blind one: once it has shown anything. */
  ready(): Promise<void> {
    if (this.#isReady()) return Promise.resolve();
    return new Promise((resolve) => this.#readyWaiters.push(resolve));
  }

  /** Whether text may be typed now, by the last look. */
  get mayType(): MayType {
    const { blind = false } = this.#tui;
    const { reading, settled, steadyFor } = this.#looks;
    return mayType({
      state: this.#state,
      asked: this.#asked,
      reading,
      settled,
      waits: steadyFor < FILE_COUNTS_MS && this.#ports.saysItWaits?.() === true,
      blind,
      queues: this.#queues,
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

  get takes(): 'now' | 'later' {
    return this.#isReady() && this.#asked === undefined ? 'now' : 'later';
  }

  async mayTake(): Promise<boolean> {
    const { may } = await this.lookAndMayType();
    return may === 'type' || may === 'blind';
  }

  get blind(): boolean {
    return this.#tui.blind ?? false;
  }

  submit(text: string, first?: () => Promise<void>): Promise<SendReceipt> {
    const { type } = this.#ports;
    return this.#given.submit({ text, first, isFree: () => canTake(this.#state), type });
  }

  /** A line of its own, which must not become part of a turn. */
  async model(name: string): Promise<SendReceipt> {
    const line = this.#tui.model?.(name);
    if (line === undefined) return { verdict: 'refused', reason: NO_MODEL };
    if (this.takes !== 'now')
      return { verdict: 'refused', reason: this.#asked ?? 'the agent is not at rest: switch it when its turn is over' };
    return this.submit(line);
  }

  /** Nothing runs that it could stop: at rest its keys would mean something else. */
  async interrupt(): Promise<'told'> {
    if (!this.blind) await this.#look();
    if (!this.blind && this.takes === 'now' && !this.#given.isGiven) return 'told';
    await this.#ports.write(this.#tui.interruptKeys);
    this.#gates.dropAll('the turn was interrupted');
    return 'told';
  }

  /** A terminal program waits for the next prompt for ever. */
  turnDone(): 'stop' {
    this.#leaving = true;
    return 'stop';
  }

  #hookCalls(face: HookFace): TakesHook {
    const ports = this.#ports;
    return hookCalls({
      face,
      gates: this.#gates,
      said: (output) => ports.said(output),
      byRules: (draft) => ports.byRules(draft),
      conversation: (id) => ports.conversation(id),
      transcript: (path) => ports.transcript(path),
      signal: (state) => this.#signal(state, 'hook'),
      submitted: (text) => {
        this.#given.said(text, 'hook');
        // Where no transcript tells what it was given, its hook does.
        if (!this.#tui.transcript) ports.said({ kind: 'prompt', text });
      },
      over: () => this.#state === 'ended',
      aboutScreen: () => this.#dialogs.hookAsks(),
      opened: (dialog) => {
        // Its dialog may stand there already: no further frame would tell.
        if (dialog) void this.#look();
      },
    });
  }

  /** The agent's transcript holds this prompt, or its screen asks about it: as good a proof as its hook. */
  recorded(text: string, evidence: 'transcript' | 'screen' = 'transcript'): void {
    this.#given.said(text, evidence);
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
    if (state === 'working' && !this.#tui.hook) this.#given.works();
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
    this.#given.free();
    this.#tellReady();
  }

  #isReady(): boolean {
    return this.#tui.blind ? this.#looks.settled : canTake(this.#state);
  }

  #tellReady(): void {
    for (const waiter of this.#readyWaiters.splice(0)) waiter();
  }
}
