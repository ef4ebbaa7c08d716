/** The one key the viewer keeps for itself. Everything else goes to the agent untouched. */
import { holds, ReinsError } from '../contract/index.js';

const ESC = 0x1b;

export interface DetachKey {
  /** Bytes before the key, and whether it was pressed; what follows it is dropped. */
  scan(bytes: Uint8Array): { pass: Uint8Array; detach: boolean };
  label: string;
  /** As it is written in the config. */
  name: string;
}

/** `C-]` style names of control keys: a letter or one of @ [ \ ] ^ _. */
export function detachKey(name: string): DetachKey {
  const match = /^(?:C-|Ctrl-|\^)([a-z@[\\\]^_])$/i.exec(name);
  if (!match)
    throw new ReinsError('CONFIG_INVALID', { problem: `cli.detach_key: ${name} is no control key, like C-]` });
  const code = match[1]!.toUpperCase().charCodeAt(0) & 0x1f;
  // Agents may switch the terminal to kitty's keyboard protocol; the same key then comes as a sequence.
  const kitty = Buffer.from(`\x1b[${match[1]!.toLowerCase().charCodeAt(0)};5u`);
  return {
    name,
    label: `Ctrl-${match[1]!.toUpperCase()}`,
    scan(bytes) {
      // Nearly every key is neither.
      if (!holds(bytes, code, ESC)) return { pass: bytes, detach: false };
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const places = [buffer.indexOf(code), buffer.indexOf(kitty)].filter((index) => index >= 0);
      // A paste may hold the byte; a key press comes alone or first in what was typed since the last read.
      if (places.length === 0 || buffer.includes('\x1b[200~')) return { pass: bytes, detach: false };
      return { pass: bytes.subarray(0, Math.min(...places)), detach: true };
    },
  };
}
