/**
 * Tool calls and questions that an agent's hook holds up until we answer, and the dialogs the agent shows for them
 * meanwhile: a dialog on the screen and the inquiry elsewhere are one thing. Whoever answers first wins, the other closes.
 */
import type { HookReply, ScreenDialog, ScreenReading } from '../../adapters/index.js';
import type { AgentOutput } from '../../contract/index.js';
import type { Asked, Settlement } from '../desk.js';
import type { DoorPorts } from './door.js';
import { HOOK_MARGIN_MS } from './hook-gate.js';
import { canTake } from './may-type.js';
import { isGone, OFF_SCREEN } from './signs.js';

interface AskedGate {
  asked: Asked;
  /** The agent shows its own dialog for it. */
  dialog: boolean;
  /** Which dialog on the screen is its own, once it was seen. */
  seen: string | undefined;
  /** Something we cannot read stood in place of the input box while it waited. */
  shown?: boolean;
  inquiry: ScreenDialog['inquiry'];
}

/** Calls whose input is remembered until they return. */
const MOST_CALLS = 64;

const callText = (tool: string | undefined, input: unknown): string => JSON.stringify([tool, input]);

export class GatedCalls {
  readonly #ask: DoorPorts['ask'];
  readonly #timeoutMs: number;
  #gates = new Set<AskedGate>();
  /** What calls were made with, by their ids: a gate does not know its call's, and a result may tell another input (with the answers in it). */
  readonly #calls = new Map<string, string>();
  /** The dialog the last frame showed that is nobody's yet: the next hook's own, if it comes without a new frame. */
  #unclaimed: string | undefined;
  #lastShown: string | undefined;

  constructor(options: { ask: DoorPorts['ask']; timeoutMs: number }) {
    this.#ask = options.ask;
    this.#timeoutMs = options.timeoutMs;
  }

  get open(): boolean {
    return this.#gates.size > 0;
  }

  /** What waits at a gate, the one with a dialog first. */
  get waiting(): { dialog: boolean; asked: Asked } | undefined {
    const gates = [...this.#gates];
    return gates.find((gate) => gate.dialog) ?? gates[0];
  }

  /** Holds the call until it is settled. `opened` is called once it waits. */
  async hold(
    meaning: { inquiry: ScreenDialog['inquiry']; dialog: boolean },
    gone: Promise<void>,
    told: { opened(): void; reply(settled: Settlement): HookReply; pass(): HookReply; empty(): void },
  ): Promise<HookReply> {
    const asked = this.#ask(meaning.inquiry, { deadlineMs: this.#timeoutMs - HOOK_MARGIN_MS });
    const seen = meaning.dialog ? this.#unclaimed : undefined;
    if (meaning.dialog) this.#unclaimed = undefined;
    const gate: AskedGate = { asked, dialog: meaning.dialog, seen, inquiry: meaning.inquiry };
    this.#gates.add(gate);
    told.opened();
    void gone.then(() => this.#drop(gate, 'the agent no longer waits', 'there'));
    const settled = await asked.settled;
    this.#gates.delete(gate);
    if (this.#gates.size === 0) told.empty();
    if (!settled) return told.pass();
    asked.delivered();
    return told.reply(settled);
  }

  /** What a hook tells of calls: one that has run, or was answered, no longer waits, however the agent came by it. */
  heard(output: AgentOutput): void {
    if (output.kind === 'tool') {
      this.#calls.set(output.call, callText(output.tool, output.input));
      for (const [oldest] of this.#calls) if (this.#calls.size > MOST_CALLS) this.#calls.delete(oldest);
    } else if (output.kind === 'tool-result') {
      const made = this.#calls.get(output.call);
      this.#calls.delete(output.call);
      if (made !== undefined) this.#wentOn(made);
      if (output.tool !== undefined) this.#wentOn(callText(output.tool, output.input));
    }
  }

  /** The same, from a result that is asked about. */
  wentOn({ tool, input }: ScreenDialog['inquiry']): void {
    this.#wentOn(callText(tool, input));
  }

  dropAll(reason: string): void {
    for (const gate of [...this.#gates]) this.#drop(gate, reason);
  }

  /** The agent is gone: nothing is dropped, everything is withdrawn. */
  end(): void {
    for (const gate of this.#gates) gate.asked.withdraw('the agent ended');
  }

  see(reading: ScreenReading): void {
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
          this.#drop(gate, OFF_SCREEN, 'there');
        }
      } else if (isGone(gate.seen, reading)) {
        // It was there and is gone: a person answered in the agent's own terminal, if the desk knows of a key.
        this.#drop(gate, OFF_SCREEN, 'there');
      }
    }
  }

  #wentOn(call: string): void {
    for (const gate of [...this.#gates]) {
      if (gate.inquiry.kind !== 'run' && gate.inquiry.kind !== 'question') continue;
      if (callText(gate.inquiry.tool, gate.inquiry.input) === call)
        this.#drop(gate, 'it ran before it was answered', 'there');
    }
  }

  #drop(gate: AskedGate, reason: string, there?: 'there'): void {
    if (!this.#gates.delete(gate)) return;
    gate.asked.withdraw(reason, gate.dialog ? there : undefined);
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
}
