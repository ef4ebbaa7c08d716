/**
 * `reins run --tui`: the loop, shown as the agent's live terminal with a status line below it. The agent's terminal is
 * one row shorter than ours; what it shows is copied (mirror.ts), so that nothing it prints can touch the status line.
 * Keys go to the agent; inquiries are answered in its own dialogs or from anywhere else.
 */
import type { Entry, Size } from '../contract/index.js';
import type { Place } from '../link/index.js';
import { connectTo } from '../sessions/start.js';
import type { DetachKey } from '../vt/index.js';
import type { TerminalCall } from './call-person.js';
import type { Context } from './context.js';
import { keySource } from './keyboard.js';
import { duration, harmless } from './table.js';
import { type StatusLine, terminalView } from './terminal-view.js';

export function shownLoop(
  context: Context,
  { place, detach, calls }: { place: Place; detach: DetachKey; calls: TerminalCall },
): Promise<number> {
  const status = new LoopStatus(detach.label);
  return terminalView(context, {
    connect: (incoming) => connectTo(context, place, incoming),
    session: place.id,
    role: 'driver',
    take: true,
    tie: true,
    detach,
    // The host answers for the terminal, which is its own screen; ours is only a copy.
    rights: { mayAnswer: false, mayCopy: false },
    keys: keySource(),
    status,
    calls,
    ended: () => (status.summary === '' ? undefined : { as: 'chrome', text: harmless(status.summary) }),
  });
}

export class LoopStatus implements StatusLine {
  summary = '';
  readonly #detach: string;
  readonly #now: () => number;
  #iteration = '';
  #hat = '';
  #state = 'starting';
  #costUsd = 0;
  #since: number;

  constructor(detach: string, now: () => number = Date.now) {
    this.#detach = detach;
    this.#now = now;
    this.#since = now();
  }

  entry(entry: Entry): void {
    if (entry.type === 'iteration.started') {
      const { iteration, max, hat, coordinator } = entry.data;
      this.#iteration = `${iteration}${max ? `/${max}` : ''}`;
      this.#hat = hat ?? (coordinator ? 'coordinator' : '');
      this.#since = Date.parse(entry.ts);
    } else if (entry.type === 'state.changed') this.#state = entry.data.state;
    else if (entry.type === 'iteration.ended') this.#costUsd += entry.data.cost_usd ?? 0;
    else if (entry.type === 'session.ended') this.summary = `${entry.data.outcome}: ${entry.data.reason}`;
  }

  /** As wide as the terminal. */
  text({ cols }: Size): string {
    const parts = [
      'reins',
      this.#iteration && `iteration ${this.#iteration}`,
      this.#hat,
      this.#state,
      duration((this.#now() - this.#since) / 1000),
      this.#costUsd > 0 && `$${this.#costUsd.toFixed(2)}`,
      `${this.#detach} detaches`,
    ];
    return harmless(` ${parts.filter(Boolean).join(' · ')}`)
      .slice(0, cols)
      .padEnd(cols);
  }
}
