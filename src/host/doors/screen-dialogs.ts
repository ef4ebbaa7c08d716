/**
 * Dialogs that only the screen tells of. One that was read is answered with the keys of its own labels. One that cannot be
 * read, and a page nobody knows, is shown to people as it stands; only someone at the agent's own keys can answer it, and
 * it is over when the agent goes on.
 */
import type { ScreenDialog, ScreenReading } from '../../adapters/index.js';
import type { Clock } from '../../contract/index.js';
import type { Asked, Settlement } from '../desk.js';
import type { DoorPorts, Draft } from './door.js';
import { asks } from './may-type.js';
import { NO_KEYS, pressKeys } from './press-keys.js';
import { isGone, OFF_SCREEN } from './signs.js';

/** A dialog is painted before its hook has started: only one that stays alone this long is the screen's own to tell. */
const HOOK_LEAD_MS = 1_000;

/** An agent repaints at once; a dialog that still stands after this long did not take its keys. */
const REPAINT_MS = 2_000;

/** Characters of screen text that go into an inquiry. */
const KEPT_OF_SCREEN = 4000;

export interface ScreenDialogsPorts {
  clock: Clock;
  ask: DoorPorts['ask'];
  write(keys: string): Promise<'written' | 'gone' | 'full'>;
  /** Why a dialog was refused, which its keys could not tell. */
  unsaid(reason: string): void;
  /** The agent asks us beside its screen as well: about permissions and questions. */
  hooked: boolean;
  /** It does so now. */
  elsewhere(): boolean;
  gated(): boolean;
  /** As the screen is now. */
  now(): Promise<{ dialog: ScreenDialog | undefined; painted: string }>;
  look(): Promise<void>;
}

export class ScreenDialogs {
  readonly #ports: ScreenDialogsPorts;
  #dialog: { key: string; asked: Asked; of: ScreenDialog } | undefined;
  /** On the screen, but perhaps only ahead of its hook. */
  #coming: { dialog: ScreenDialog; cancel: () => void } | undefined;
  /** Answered with keys, and perhaps not yet repainted: the same picture is not a new question. */
  #answered: { key: string; cancel: () => void } | undefined;
  /** Something is there that nobody can read; the one inquiry about it. */
  #strange: { asked: Asked; open: boolean } | undefined;

  constructor(ports: ScreenDialogsPorts) {
    this.#ports = ports;
  }

  /** What is open, and the inquiry about it if there is one yet. */
  get open(): { kind: ScreenDialog['kind']; asked?: Asked } | undefined {
    if (this.#dialog) return { kind: this.#dialog.of.kind, asked: this.#dialog.asked };
    if (this.#coming) return { kind: this.#coming.dialog.kind };
    return this.#strange && { kind: 'other', ...(this.#strange.open ? { asked: this.#strange.asked } : {}) };
  }

  /** `settled`: looks agree; a dialog that is still being painted is not asked about. */
  see(reading: ScreenReading, settled: boolean): void {
    // A repaint takes parts of it away for a moment.
    if (!settled) return;
    if (this.#coming && isGone(this.#coming.dialog.key, reading)) this.forgetComing();
    if (this.#answered && isGone(this.#answered.key, reading)) {
      this.#answered.cancel();
      this.#answered = undefined;
    }
    if (this.#strange && isUnderstood(reading)) this.#forgetStrange('the agent goes on');
    if (this.#ports.gated()) return;
    if (this.#dialog && isGone(this.#dialog.key, reading)) {
      this.#dialog.asked.withdraw(OFF_SCREEN, 'there');
      this.#dialog = undefined;
    }
    const { dialog } = reading;
    if (dialog && !this.#dialog && dialog.key !== this.#answered?.key) this.#appeared(dialog);
  }

  /** A page nobody knows stands there and stays. One inquiry for as long as it does, however it scrolls. */
  strange(text: string): void {
    if (this.#strange || this.#dialog || this.#ports.gated() || this.#ports.elsewhere()) return;
    const asked = this.#ports.ask(unread(text), { held: true });
    const strange = { asked, open: true };
    this.#strange = strange;
    // Whatever was decided about it, there is no key that says so.
    void asked.settled.then(() => {
      strange.open = false;
      asked.withdraw('it can only be answered in the agent’s own terminal');
    });
  }

  /** The agent's hook asks about what is on the screen: one thing, one inquiry. */
  hookAsks(): void {
    this.forgetComing();
    this.#dialog?.asked.withdraw('its hook asks');
    this.#dialog = undefined;
    this.#forgetStrange('its hook asks');
  }

  end(): void {
    this.#dialog?.asked.withdraw('the agent ended');
    this.#dialog = undefined;
    this.#forgetStrange('the agent ended');
    this.forgetComing();
    this.#answered?.cancel();
  }

  forgetComing(): void {
    this.#coming?.cancel();
    this.#coming = undefined;
  }

  #forgetStrange(reason: string): void {
    this.#strange?.asked.withdraw(reason);
    this.#strange = undefined;
  }

  #appeared(dialog: ScreenDialog): void {
    const { clock, hooked: ours, elsewhere, gated } = this.#ports;
    const hooked = ours && (dialog.kind === 'permission' || dialog.kind === 'question');
    if (dialog.kind === 'other') this.strange(textOf(dialog));
    else if (!hooked) this.#raise(dialog);
    else if (!this.#coming && elsewhere()) this.#coming = { dialog, cancel: () => undefined };
    else if (!this.#coming) {
      const cancel = clock.after(HOOK_LEAD_MS, () => {
        if (elsewhere()) return;
        this.#coming = undefined;
        if (!gated() && !this.#dialog) this.#raise(dialog);
      });
      this.#coming = { dialog, cancel };
    }
  }

  /** `held`: policy has spoken, and the dialog has no key for what it said; it waits for a person. */
  #raise(dialog: ScreenDialog, held = false): void {
    const asked = this.#ports.ask(dialog.inquiry, { held });
    this.#dialog = { key: dialog.key, asked, of: dialog };
    void asked.settled.then(async (settled) => {
      if (!settled || this.#dialog?.asked !== asked) return;
      const told = await this.#press(dialog, settled).catch((error: Error) => error.message);
      if (this.#dialog?.asked === asked) this.#dialog = undefined;
      if (told !== 'told') asked.withdraw(told);
      if (told === NO_KEYS && !held) this.#raise(dialog, true);
      else if (told === NO_KEYS) this.#answered = { key: dialog.key, cancel: () => undefined };
      if (told !== 'told') return;
      asked.delivered();
      const why = settled.verdict.kind === 'deny' && dialog.kind !== 'first-run' ? settled.reason : undefined;
      if (why) this.#ports.unsaid(why);
    });
  }

  /** `told`, or why the agent was not told what was answered. */
  #press(dialog: ScreenDialog, settled: Settlement): Promise<string> {
    const { clock, now, write, look } = this.#ports;
    return pressKeys({
      dialog,
      settled,
      clock,
      now: async () => (await now()).dialog,
      painted: async () => (await now()).painted,
      write,
      pressing: () => {
        // The keys were swallowed: what is still asked is asked again.
        const cancel = clock.after(REPAINT_MS, () => {
          this.#answered = undefined;
          void look();
        });
        this.#answered = { key: dialog.key, cancel };
      },
    });
  }
}

/** The input box, a dialog that can be answered, or work going on. */
const isUnderstood = ({ dialog, composer, state }: ScreenReading): boolean =>
  dialog ? dialog.kind !== 'other' : composer === true || (state !== undefined && !asks(state));

/** Only a person at the agent's own keys may deal with it (`verdictFits` in answer-words.ts says so). */
const unread = (text: string): Draft => ({
  kind: 'run',
  tool: 'dialog',
  input: { screen: text.length > KEPT_OF_SCREEN ? `${text.slice(0, KEPT_OF_SCREEN)}…` : text },
  exclusive: true,
});

const textOf = ({ inquiry }: ScreenDialog): string => String((inquiry.input as { screen?: unknown }).screen ?? '');
