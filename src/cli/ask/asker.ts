/**
 * Inquiries wait here for the person at the terminal; one is shown at a time. Owns the terminal while it does: opened
 * when someone has to be asked, given back when nobody has to be any more. What a key means is the dialogs' business.
 */
import { type Clock, type Inquiry, systemClock, type WaitingInquiry } from '../../contract/index.js';
import type { Tty } from '../channels.js';
import { stageWords } from '../stage-words.js';
import { Block, sizeOf } from './block.js';
import type { AnswerArgs, Around, Does, TypingMode } from './dialog.js';
import { type DialogView, plain, type SpanRow } from './draw.js';
import { editInFile, editorOf } from './editor.js';
import type { Key } from './keys.js';
import {
  editedInFile,
  type PermissionState,
  permission,
  permissionTypes,
  permissionView,
  pressPermission,
} from './permission.js';
import { headline } from './permission-text.js';
import { pressQuestion, type QuestionState, question, questionHeadline, questionTypes } from './question.js';
import { questionView } from './question-view.js';
import { Reader } from './reader.js';
import { safe } from './text.js';

export interface AskerOptions {
  /** Opened when someone has to be asked, closed when nobody has to be any more. */
  openTty: () => Tty | undefined;
  /** Colours. */
  pretty: boolean;
  /** The rule "allow for this session" would create, shown before; without one it is not offered. */
  grantRule?: (inquiry: Inquiry) => string | undefined;
  /** Resolves with undefined when the answer was taken, else with why not. */
  answer(inquiry: string, given: AnswerArgs): Promise<string | undefined>;
  /** Ctrl-C. */
  interrupted(): void;
  /** Ctrl-\. */
  killed(): void;
  /** Ctrl-Z: stops this process as the terminal would; resolves when it goes on. Absent: the key does nothing. */
  suspend?(): Promise<void>;
  /** What makes the terminal call its person, for an inquiry that is new on it; empty where it need not now. */
  ring?: () => string;
  /** What was decided before, in a line. */
  earlier?: (inquiry: Inquiry) => string | undefined;
  /** Who asks, for the title. */
  agent?: () => string | undefined;
  /** Does the terminal's cursor stand behind text of ours? Unknown = taken for true. */
  midLine?: () => boolean;
  clock?: Clock;
  /** For VISUAL and EDITOR. */
  env?: NodeJS.ProcessEnv;
}

/** ms an inquiry waits before it is shown: what a rule settles at once is never seen. */
const SETTLE_MS = 150;

const SECOND = 1000;

const EARLY = 'that key came too early and was ignored: press it again if you mean it';

/** Terminals that are known not to mark pastes: there an unmarked text with Enter may well be one. */
const marksPastes = (term: string | undefined): boolean =>
  term !== undefined && !/^$|^(?:dumb|linux|unknown|ansi|cons25|sun|vt\d+)/.test(term);

type DialogState = PermissionState | QuestionState;

/** Where an inquiry stands, and what was suggested for it. */
export type PromptStanding = Pick<WaitingInquiry, 'stage' | 'until' | 'next' | 'who' | 'because' | 'suggestion'>;

interface Queued {
  inquiry: Inquiry;
  standing: PromptStanding;
  ready: boolean;
  cancel: () => void;
}

interface ShownDialog {
  item: Queued;
  state: DialogState;
  /** The answer is on its way, or the editor is open: keys do nothing. */
  busy: 'no' | 'sending' | 'editing';
  /** Closed while it was busy. */
  gone: boolean;
}

export class Asker {
  readonly #options: AskerOptions;
  readonly #clock: Clock;
  readonly #env: NodeJS.ProcessEnv;
  readonly #block: Block;
  readonly #reader: Reader;
  #queue: Queued[] = [];
  #shown: ShownDialog | undefined;
  #tty: Tty | undefined;
  /** What others wanted to write while the editor had the screen. */
  #held: (() => void)[] = [];
  #editor = new AbortController();
  #closed = false;

  constructor(options: AskerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#env = options.env ?? process.env;
    this.#block = new Block({ pretty: options.pretty, midLine: options.midLine, moves: this.#env.TERM !== 'dumb' });
    this.#reader = new Reader({
      clock: this.#clock,
      pressed: (key) => this.#press(key),
      early: () => this.#early(),
      typing: () => (this.#shown ? types(this.#shown.state) : 'no'),
      marksPastes: marksPastes(this.#env.TERM),
      interrupted: () => options.interrupted(),
      killed: () => options.killed(),
      suspended: () => void this.#suspend(),
    });
  }

  /** Whether it will be asked here. */
  opened(inquiry: Inquiry): boolean {
    if (this.#closed) return false;
    if (this.#queue.some((item) => item.inquiry.id === inquiry.id)) return true;
    if (this.#queue.length === 0) this.#tty ??= this.#options.openTty();
    if (this.#queue.length === 0 && !this.#tty) return false;
    const item: Queued = { inquiry, standing: {}, ready: false, cancel: () => {} };
    item.cancel = this.#clock.after(SETTLE_MS, () => {
      item.ready = true;
      // Once per inquiry. While an editor has the screen, its person is there.
      if (this.#tty) this.#tty.write(this.#options.ring?.() ?? '');
      this.#next();
    });
    this.#queue.push(item);
    return true;
  }

  /** It stands elsewhere now. A suggestion stays until another one comes. */
  moved(id: string, standing: PromptStanding): void {
    const item = this.#queue.find((one) => one.inquiry.id === id);
    if (!item) return;
    item.standing = { ...standing, suggestion: standing.suggestion ?? item.standing.suggestion };
    if (this.#shown?.item === item && this.#shown.busy === 'no') this.#draw();
  }

  /** Answered elsewhere, or withdrawn. */
  closed(id: string): void {
    const item = this.#queue.find((one) => one.inquiry.id === id);
    if (!item) return;
    const shown = this.#shown;
    if (shown?.item !== item) {
      this.#drop(item);
      this.#next();
    } else if (shown.busy !== 'no') shown.gone = true;
    else this.#finish(shown, elsewhere(item.inquiry));
  }

  /** Runs something that writes to the same terminal: the block makes room and comes back below it. */
  beside(write: () => void): void {
    if (this.#shown?.busy === 'editing') {
      this.#held.push(write);
      return;
    }
    if (this.#tty) this.#block.hide(this.#tty);
    try {
      write();
    } finally {
      this.#block.disturbed();
      this.#draw();
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#editor.abort();
    if (this.#shown && this.#tty) this.#block.line(this.#tty, unanswered(this.#shown.item.inquiry));
    this.#lost();
    this.#writeHeld();
  }

  #next(): void {
    if (this.#shown) {
      this.#draw();
      return;
    }
    const item = this.#queue.find((one) => one.ready);
    if (item) this.#show(item);
    else if (this.#queue.length === 0) this.#release();
    else this.#reader.stop();
  }

  #show(item: Queued): void {
    const { inquiry } = item;
    const rule = this.#options.grantRule?.(inquiry);
    const state =
      inquiry.kind === 'question'
        ? question(inquiry)
        : permission(inquiry, { rule, hasEditor: editorOf(this.#env) !== undefined });
    this.#shown = { item, state, busy: 'no', gone: false };
    this.#prompt();
  }

  /** Something new to read: keys pressed until now were not meant for it. */
  #prompt(): void {
    this.#tty ??= this.#options.openTty();
    if (!this.#tty) {
      this.#lost();
      return;
    }
    this.#reader.listen(this.#tty);
    this.#reader.guard();
    this.#draw();
  }

  #release(): void {
    this.#reader.stop();
    this.#tty?.close();
    this.#tty = undefined;
  }

  /** Nobody can be asked here any more. */
  #lost(): void {
    for (const item of this.#queue) item.cancel();
    this.#stopTick();
    this.#queue = [];
    this.#shown = undefined;
    this.#release();
  }

  #press(key: Key): void {
    const shown = this.#shown;
    if (shown?.busy !== 'no' || !this.#tty) return;
    const step = press(shown.state, key, this.#around(shown, this.#tty));
    shown.state = step.state;
    if (!step.does) this.#draw();
    else if (step.does.do === 'answer') void this.#answer(shown, step.does);
    else void this.#edit(shown, step.does);
  }

  /** Not taken, but not without a word: whoever meant it presses again. */
  #early(): void {
    const shown = this.#shown;
    if (shown?.busy !== 'no' || shown.state.note?.includes(EARLY)) return;
    const { note } = shown.state;
    shown.state = { ...shown.state, note: note === undefined ? EARLY : `${note} (${EARLY})` };
    this.#draw();
  }

  async #answer(shown: ShownDialog, does: Extract<Does, { do: 'answer' }>): Promise<void> {
    shown.busy = 'sending';
    const { inquiry } = shown.item;
    const why = await this.#options.answer(inquiry.id, does.given).catch((error: unknown) => String(error));
    if (this.#shown !== shown) return;
    shown.busy = 'no';
    if (why === undefined) this.#finish(shown, does.summary);
    else if (shown.gone) this.#finish(shown, elsewhere(inquiry, why));
    else {
      shown.state = { ...shown.state, note: `not taken: ${why}` };
      this.#prompt();
    }
  }

  async #edit(shown: ShownDialog, does: Extract<Does, { do: 'edit-file' }>): Promise<void> {
    shown.busy = 'editing';
    if (this.#tty) this.#block.hide(this.#tty);
    this.#release(); // an open reader would take the editor's first key
    const outcome = await editInFile(does, { env: this.#env, signal: this.#editor.signal });
    if (this.#shown !== shown) return;
    shown.busy = 'no';
    this.#block.disturbed();
    this.#writeHeld();
    if (shown.state.of === 'permission') shown.state = editedInFile(shown.state, outcome);
    this.#prompt();
    if (shown.gone && this.#shown) this.#finish(shown, elsewhere(shown.item.inquiry));
  }

  /** The shell gets its terminal back as it was; what was shown comes again when we do. */
  async #suspend(): Promise<void> {
    const { suspend } = this.#options;
    const shown = this.#shown;
    if (!suspend || !shown || shown.busy !== 'no' || !this.#tty) return;
    shown.busy = 'editing';
    this.#block.hide(this.#tty);
    this.#release();
    await suspend();
    if (this.#shown !== shown) return;
    shown.busy = 'no';
    this.#block.disturbed();
    this.#writeHeld();
    this.#prompt();
    if (shown.gone && this.#shown) this.#finish(shown, elsewhere(shown.item.inquiry));
  }

  #writeHeld(): void {
    for (const write of this.#held.splice(0)) write();
  }

  #finish(shown: ShownDialog, summary: SpanRow): void {
    if (this.#tty) this.#block.line(this.#tty, summary);
    this.#stopTick();
    this.#shown = undefined;
    this.#drop(shown.item);
    this.#next();
  }

  #drop(item: Queued): void {
    item.cancel();
    this.#queue = this.#queue.filter((other) => other !== item);
  }

  #draw(): void {
    const shown = this.#shown;
    if (!shown || !this.#tty) return;
    this.#block.draw(this.#tty, view(shown.state, this.#around(shown, this.#tty)));
    this.#tick(shown);
  }

  #stopTick = (): void => undefined;

  /** The time that is left counts down, second by second, where a row can be drawn over. */
  #tick(shown: ShownDialog): void {
    this.#stopTick();
    const { until } = shown.item.standing;
    const left = until === undefined ? 0 : Date.parse(until) - this.#clock.now();
    if (!(left > 0) || this.#env.TERM === 'dumb') return;
    const stop = this.#clock.after(left % SECOND || SECOND, () => shown.busy === 'no' && this.#draw());
    this.#stopTick = () => {
      stop();
      this.#stopTick = () => undefined;
    };
  }

  #around(shown: ShownDialog, tty: Tty): Around {
    const agent = safe(this.#options.agent?.() ?? 'the agent');
    const ready = this.#queue.filter((item) => item.ready);
    const place = ready.length > 1 ? ` · ${ready.indexOf(shown.item) + 1} of ${ready.length}` : '';
    const title = [...plain(`${agent} asks`, 'title'), ...plain(` · ${safe(shown.item.inquiry.id)}${place}`, 'dim')];
    const { standing } = shown.item;
    const words = stageWords(standing, this.#clock.now());
    const stage = words === undefined ? undefined : plain(safe(words), 'dim');
    const before = this.#options.earlier?.(shown.item.inquiry);
    const earlier = before === undefined ? undefined : plain(safe(before), 'dim');
    return { size: sizeOf(tty), title, stage, earlier, suggestion: standing.suggestion };
  }
}

const nameOf = (inquiry: Inquiry): string =>
  inquiry.kind === 'question' ? questionHeadline(inquiry) : headline(inquiry);

const unanswered = (inquiry: Inquiry): SpanRow => [...plain('not answered', 'dim'), ...plain(` · ${nameOf(inquiry)}`)];

const elsewhere = (inquiry: Inquiry, why?: string): SpanRow => [
  ...plain('answered elsewhere', 'dim'),
  ...plain(` · ${nameOf(inquiry)}${why === undefined ? '' : ` (${safe(why)})`}`),
];

const types = (state: DialogState): TypingMode =>
  state.of === 'permission' ? permissionTypes(state) : questionTypes(state);

const press = (state: DialogState, key: Key, around: Around): { state: DialogState; does?: Does } =>
  state.of === 'permission' ? pressPermission(state, key, around) : pressQuestion(state, key, around);

const view = (state: DialogState, around: Around): DialogView =>
  state.of === 'permission' ? permissionView(state, around) : questionView(state, around);
