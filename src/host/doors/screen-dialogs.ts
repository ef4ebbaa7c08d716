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
import { NO_KEYS, NOT_TAKEN, pressKeys } from './press-keys.js';
import { isGone, OFF_SCREEN } from './signs.js';

/** A dialog is painted before its hook has started: only one that stays alone this long is the screen's own to tell. */
const HOOK_LEAD_MS = 1_000;

/** A dialog that took no key so often in a row is left to a person. */
const MOST_NOT_TAKEN = 3;

/** Characters of screen text that go into an inquiry. */
const KEPT_OF_SCREEN = 4000;

export interface ScreenDialogsPorts {
  clock: Clock;
  ask: DoorPorts['ask'];
  write(keys: string, unseen: boolean): Promise<'written' | 'gone' | 'full'>;
  /** Why no key may be pressed now; absent: never. */
  hindered?(): string | undefined;
  takeBack?(): Promise<void>;
  /** The last key of the answer that is on its way was pressed. */
  isEntered?(): boolean;
  /** Why a dialog was refused, which its keys could not tell. */
  unsaid(reason: string): void;
  /** The agent asks us beside its screen as well: about permissions and questions. */
  hooked: boolean;
  /** It does so now. */
  elsewhere(): boolean;
  gated(): boolean;
  /** As the screen is now. */
  now(): Promise<{ reading: ScreenReading; painted: string }>;
  look(): Promise<void>;
}

export class ScreenDialogs {
  readonly #ports: ScreenDialogsPorts;
  /** `telling`: it was answered, and its keys are on their way; whether they were taken is found out there. */
  #dialog: { key: string; asked: Asked; of: ScreenDialog; telling: boolean } | undefined;
  /** On the screen, but perhaps only ahead of its hook. */
  #coming: { dialog: ScreenDialog; cancel: () => void } | undefined;
  /** A person answered what has no key for it: the same picture is not a new question. */
  #answered: string | undefined;
  #notTaken = { key: '', times: 0 };
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
    if (this.#answered !== undefined && isGone(this.#answered, reading)) this.#answered = undefined;
    if (this.#strange && isUnderstood(reading)) this.#forgetStrange('the agent goes on');
    if (this.#ports.gated()) return;
    if (this.#dialog && !this.#dialog.telling && isGone(this.#dialog.key, reading)) {
      this.#dialog.asked.withdraw(OFF_SCREEN, 'there');
      this.#dialog = undefined;
    }
    const { dialog } = reading;
    if (dialog && !this.#dialog && dialog.key !== this.#answered) this.#appeared(dialog);
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
    // A program that ends with the line it was given has got it.
    if (this.#dialog?.telling && this.#ports.isEntered?.()) this.#dialog.asked.delivered();
    else this.#dialog?.asked.withdraw('the agent ended');
    this.#dialog = undefined;
    this.#forgetStrange('the agent ended');
    this.forgetComing();
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
    const open = { key: dialog.key, asked, of: dialog, telling: false };
    this.#dialog = open;
    void asked.settled.then(async (settled) => {
      if (!settled || this.#dialog !== open) return;
      open.telling = true;
      const told = await this.#press(dialog, settled).catch((error: Error) => error.message);
      const isOurs = this.#dialog === open;
      if (isOurs) this.#dialog = undefined;
      if (told === 'told') asked.delivered();
      else asked.withdraw(told);
      if (isOurs) this.#afterwards(dialog, { told, held });
      const why = settled.verdict.kind === 'deny' && dialog.kind !== 'first-run' ? settled.reason : undefined;
      if (told === 'told' && why) this.#ports.unsaid(why);
    });
  }

  /** What still stands there is asked again; where our keys lead nowhere, a person is left to it. */
  #afterwards(dialog: ScreenDialog, { told, held }: { told: string; held: boolean }): void {
    const { key } = dialog;
    const times = told !== NOT_TAKEN ? 0 : this.#notTaken.key === key ? this.#notTaken.times + 1 : 1;
    this.#notTaken = { key, times };
    // There is no other key for a line: asked again, it would be refused again.
    if (told === NO_KEYS && (held || dialog.line)) this.#answered = key;
    else if (told === NO_KEYS || times >= MOST_NOT_TAKEN) this.#raise(dialog, true);
    // Something may have come meanwhile, and may not be painted again.
    void this.#ports.look();
  }

  /** `told`, or why the agent was not told what was answered. */
  #press(dialog: ScreenDialog, settled: Settlement): Promise<string> {
    const { clock, now, write, hindered, takeBack } = this.#ports;
    return pressKeys({
      dialog,
      settled,
      clock,
      now: async () => (await now()).reading,
      painted: async () => (await now()).painted,
      write,
      ...(hindered ? { hindered } : {}),
      ...(takeBack ? { takeBack } : {}),
    });
  }
}

/** The input box, a dialog that can be answered, or work going on. */
const isUnderstood = ({ dialog, composer, state }: ScreenReading): boolean =>
  dialog ? dialog.kind !== 'other' : composer === true || (state !== undefined && !asks(state));

/** Only a person at the agent's own keys may deal with it (`verdict-fits.ts` says so). */
const unread = (text: string): Draft => ({
  kind: 'run',
  tool: 'dialog',
  input: { screen: text.length > KEPT_OF_SCREEN ? `${text.slice(0, KEPT_OF_SCREEN)}…` : text },
  exclusive: true,
});

const textOf = ({ inquiry }: ScreenDialog): string => String((inquiry.input as { screen?: unknown }).screen ?? '');
