/**
 * Two links joined in memory, for the library and for tests. Frames cross as they are, one event-loop turn later, so
 * that nobody can depend on a call being answered before it returns.
 */
import type { Frame } from '../contract/index.js';
import { type Link, Listeners } from './link.js';

export function memoryPair(): [Link, Link] {
  const ends = [new Listeners(), new Listeners()] as const;
  const make = (mine: Listeners, theirs: Listeners): Link & { mayDeliver(may: boolean): void } => {
    let waiting: Frame[] = [];
    let queued = 0;
    let held = false;
    const size = (frame: Frame) => (frame.kind === 'json' ? 64 : frame.bytes.length);
    const deliver = () => {
      if (held || theirs.closed) return;
      const batch = waiting;
      waiting = [];
      queued = 0;
      try {
        for (const frame of batch) theirs.frame(frame);
      } catch (error) {
        const reason = `a message could not be handled: ${(error as Error).message}`;
        theirs.close(reason);
        mine.close('closed by the other side');
      }
      if (batch.length > 0) mine.drain();
    };
    return {
      send(frame) {
        if (mine.closed) return;
        waiting.push(frame);
        queued += size(frame);
        setImmediate(deliver);
      },
      get queued() {
        return queued;
      },
      onFrame: (call) => mine.onFrame(call),
      onClose: (call) => mine.onClose(call),
      onDrain: (call) => mine.onDrain(call),
      hold: () => other().mayDeliver(false),
      release: () => other().mayDeliver(true),
      mayDeliver(may) {
        held = !may;
        if (may) setImmediate(deliver);
      },
      close(reason = 'closed by this side') {
        setImmediate(() => {
          held = false;
          deliver();
          mine.close(reason);
          theirs.close('closed by the other side');
        });
      },
    };
    function other() {
      return mine === ends[0] ? right : left;
    }
  };
  const left = make(ends[0], ends[1]);
  const right = make(ends[1], ends[0]);
  return [left, right];
}
