/**
 * Keys of a person at a page, without what the page's own terminal says by itself: it is shown the agent's questions too
 * (what are you, where is the cursor, which colours), and the host has answered them already. The mouse stays: a click is meant.
 */
import { spoken, tokensOf } from '../vt/index.js';

const MOUSE = /^\x1b\[(?:<[\d;]+[Mm]|M[\s\S]{3})$/;

export function typed(bytes: Uint8Array): Uint8Array {
  // Nearly every key, and each of them waits for this.
  if (!bytes.includes(0x1b)) return bytes;
  const meant = new Set(Array.from(spoken(bytes), ({ text }) => text));
  const all = Array.from(tokensOf(Buffer.from(bytes).toString('latin1')), ({ text }) => text);
  const kept = all.filter((text) => meant.has(text) || MOUSE.test(text));
  return kept.length === all.length ? bytes : Buffer.from(kept.join(''), 'latin1');
}
