/**
 * How a turn looks in the terminal: streamed words, tool lines, dialogs one after the other. A dialog is on screen while
 * the PermissionRequest hooks run beside it; whoever answers first wins. The door owns keys, box and life.
 */
import { type Dialog, permissionDialog, questionDialog, settingsPage } from './dialogs.js';
import { type Face, INTERRUPTED, type Permit, type PracticeCall, QUESTION } from './face.js';
import { aborted, grantOf, permissionRequest } from './gate.js';
import type { PracticeKey } from './keys.js';
import { visible, wrap } from './painter.js';
import type { PracticeSession } from './session.js';
import type { ToolResult } from './tools.js';

const WORD_MS = 30;
/** A tool's result is shown by its first lines. */
const RESULT_LINES = 4;

/** What the face needs of its door. */
export interface Stagehand {
  columns(): number;
  /** Prints for good. */
  said(lines: string[]): void;
  /** Something in the live area changed. */
  redraw(): void;
  raw(bytes: Buffer): void;
}

export class TuiFace implements Face {
  readonly door = 'tui';
  readonly #hand: Stagehand;
  readonly #session: PracticeSession;
  /** The unfinished line of streamed text. */
  partial = '';
  note = '';
  dialog: Dialog | undefined;
  #settle: ((permit: Permit) => void) | undefined;
  #turnstile: Promise<unknown> = Promise.resolve();

  constructor(given: { hand: Stagehand; session: PracticeSession }) {
    this.#hand = given.hand;
    this.#session = given.session;
  }

  say(text: string, signal: AbortSignal): Promise<void> {
    return this.#stream(text, signal, (line) => line);
  }

  think(text: string, signal: AbortSignal): Promise<void> {
    return this.#stream(text, signal, (line) => `\x1b[2;3m${line}\x1b[22;23m`);
  }

  called(call: PracticeCall): void {
    if (call.tool === QUESTION) return;
    const what = visible(String(call.input.command ?? call.input.file_path ?? '')).replaceAll('\n', ' ');
    this.#hand.said(['', `\x1b[32m●\x1b[39m \x1b[1m${call.tool}\x1b[22m(${what.slice(0, 200)})`]);
  }

  returned(call: PracticeCall, result: ToolResult): void {
    const about = call.tool === QUESTION && result.ok ? ['', '● You answered:'] : [];
    const lines = wrap(visible(result.text), this.#hand.columns() - 5);
    const more = lines.length > RESULT_LINES ? [`     … +${lines.length - RESULT_LINES} lines`] : [];
    const colour = result.ok ? '\x1b[2m' : '\x1b[31m';
    const shown = lines
      .slice(0, RESULT_LINES)
      .map((line, index) => `${index === 0 ? '  ⎿  ' : '     '}${colour}${line}\x1b[0m`);
    this.#hand.said([...about, ...shown, ...more]);
  }

  retrying({ attempt, of, delayMs }: { attempt: number; of: number; delayMs: number }): void {
    this.note = `API error · Retrying in ${Math.round(delayMs / 1000)}s · attempt ${attempt}/${of}`;
    this.#hand.redraw();
  }

  encode(text: string): Buffer {
    return Buffer.from(`${text}\r\n`);
  }

  raw(bytes: Buffer): void {
    this.#hand.raw(bytes);
  }

  /** Dialogs queue: one is on screen at a time. */
  permit(call: PracticeCall, signal: AbortSignal): Promise<Permit> {
    const turn = this.#turnstile.then(() => this.#ask(call, signal));
    this.#turnstile = turn;
    return turn;
  }

  /** A key for the open dialog. */
  key(key: PracticeKey): void {
    const permit = this.dialog?.key(key);
    if (permit) this.#settle?.(permit);
    else this.#hand.redraw();
  }

  async page(signal: AbortSignal): Promise<void> {
    const left = new Promise<Permit>((settle) => {
      this.#settle = settle;
    });
    this.dialog = settingsPage();
    this.#hand.redraw();
    await Promise.race([left, aborted(signal)]);
    this.dialog = undefined;
    this.#settle = undefined;
    this.#hand.redraw();
  }

  async #ask(call: PracticeCall, signal: AbortSignal): Promise<Permit> {
    const stopped: Permit = { allowed: false, reason: INTERRUPTED, interrupt: true };
    if (signal.aborted) return stopped;
    if (call.tool !== QUESTION && this.#session.grants.has(grantOf(call))) return { allowed: true, input: call.input };
    const dialog = call.tool === QUESTION ? questionDialog(call) : permissionDialog(call);
    const typed = new Promise<Permit>((settle) => {
      this.#settle = settle;
    });
    this.dialog = dialog;
    this.#session.status('waiting', 'permission prompt');
    this.#hand.redraw();
    const details = { tool_name: call.tool, tool_input: call.input, permission_suggestions: [] };
    const hooked = this.#session.hooks
      .run('PermissionRequest', details, call.tool)
      .then((said) => permissionRequest(said, call) ?? new Promise<never>(() => undefined));
    const permit = await Promise.race([typed, hooked, aborted(signal).then(() => stopped)]);
    this.dialog = undefined;
    this.#settle = undefined;
    if (permit.allowed && dialog.granted) this.#session.grants.add(grantOf(call));
    this.#session.status('busy');
    this.#hand.redraw();
    return permit;
  }

  async #stream(text: string, signal: AbortSignal, style: (line: string) => string): Promise<void> {
    this.note = '';
    let shown = 0;
    const lines = (whole: string) =>
      wrap(visible(whole), this.#hand.columns() - 3).map((line, index) => style(`${index === 0 ? '● ' : '  '}${line}`));
    this.#hand.said(['']);
    if (this.#session.pace > 0) {
      let so = '';
      for (const word of text.match(/\S+\s*|\s+/g) ?? []) {
        if (signal.aborted) break;
        so += word;
        const rows = lines(so.trimEnd());
        // All but the last row can no longer change.
        this.partial = rows.at(-1) ?? '';
        this.#hand.said(rows.slice(shown, -1));
        shown = Math.max(shown, rows.length - 1);
        await this.#session.wait(WORD_MS, signal);
      }
      this.partial = '';
      this.#hand.said(lines(so.trimEnd()).slice(shown));
    } else this.#hand.said(lines(text.trimEnd()));
  }
}
