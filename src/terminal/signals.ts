/** Signals by name and number, and the one careful way to send one: never to init, never to ourselves. */
import { constants } from 'node:os';

export function signalName(value: number | undefined): NodeJS.Signals | undefined {
  if (!value) return undefined;
  const found = Object.entries(constants.signals).find(([, number]) => number === value);
  return found ? (found[0] as NodeJS.Signals) : undefined;
}

/** False when there is no such process, or it is not ours to signal. A group is given as a negative number. */
export function sendSignal(target: number, signal: NodeJS.Signals): boolean {
  if (!Number.isInteger(target) || Math.abs(target) <= 1 || Math.abs(target) === process.pid) return false;
  try {
    return process.kill(target, signal);
  } catch {
    // ESRCH: gone already. EPERM: another user's. Either way it did not get the signal.
    return false;
  }
}
