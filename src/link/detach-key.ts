/**
 * The one key the viewer keeps for itself. Everything else goes to the agent untouched. Inside a paste the key is text,
 * also when the paste comes in several reads; which is why one scanner has to see all bytes of a terminal.
 */
import { type Clock, CONTROL_KEY, ControlKeys, holds, ReinsError, systemClock } from '../contract/index.js';

const ESC = 0x1b;

export interface DetachKey {
  /** Bytes before the key, and whether it was pressed; what follows it is dropped. */
  scan(bytes: Uint8Array): { pass: Uint8Array; detach: boolean };
  label: string;
  /** As it is written in the config. */
  name: string;
}

export function detachKey(name: string, clock: Pick<Clock, 'now'> = systemClock): DetachKey {
  const match = CONTROL_KEY.exec(name);
  if (!match)
    throw new ReinsError('CONFIG_INVALID', { problem: `cli.detach_key: ${name} is no control key, like C-]` });
  const code = match[1]!.toUpperCase().charCodeAt(0) & 0x1f;
  const keys = new ControlKeys();
  return {
    name,
    label: `Ctrl-${match[1]!.toUpperCase()}`,
    scan(bytes) {
      if (keys.isPasting) keys.heard(clock.now());
      // Nearly every key is neither.
      if (keys.isGround && !holds(bytes, code, ESC)) return { pass: bytes, detach: false };
      const now = clock.now();
      // Where the current sequence began; before this read: what has partly gone out goes out whole.
      let begin: number | undefined;
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at]!;
        if (byte === ESC) begin = at;
        if (keys.step(byte, now) !== code) continue;
        keys.reset();
        return { pass: bytes.subarray(0, byte === code ? at : (begin ?? at + 1)), detach: true };
      }
      return { pass: bytes, detach: false };
    },
  };
}
