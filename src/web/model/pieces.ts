/**
 * What a terminal is given at once. xterm stops between two writes when a frame is due, never inside one: a flood that comes in
 * large messages would hold up the page for as long as each takes to read.
 */
const MOST = 16 * 1024;

export function pieces(bytes: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += MOST) found.push(bytes.subarray(at, at + MOST));
  return found;
}
