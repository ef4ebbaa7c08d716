/** Signals by name and number, and the one careful way to send one: never to init, never to ourselves. */
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

export function signalName(value: number | undefined): NodeJS.Signals | undefined {
  if (!value) return undefined;
  const found = Object.entries(constants.signals).find(([, number]) => number === value);
  return found ? (found[0] as NodeJS.Signals) : undefined;
}

const NUMBERS: Record<string, number> = constants.signals;

/** The exit code a shell would report for a death by this signal. */
export const signalExit = (signal: string): number => 128 + (NUMBERS[signal] ?? NUMBERS.SIGTERM!);

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

/**
 * Whether a process is deaf to SIGTERM and has its own way to hear SIGHUP, as interactive shells do. One that ignores
 * SIGTERM and would simply die of SIGHUP keeps its time to finish.
 */
export function hangsUp(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const has = (field: string, signal: number): boolean => {
      const bits = new RegExp(`^${field}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1] ?? '0';
      return ((BigInt(`0x${bits}`) >> BigInt(signal - 1)) & 1n) === 1n;
    };
    return has('SigIgn', constants.signals.SIGTERM) && has('SigCgt', constants.signals.SIGHUP);
  } catch {
    return false; // gone, or a system without /proc
  }
}
