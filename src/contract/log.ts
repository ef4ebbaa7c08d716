/** The port every room writes diagnostics to; `log/` implements it. Facts and ids only: no prompts, bytes or secrets. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace';

export interface Log {
  log(level: LogLevel, msg: string, facts?: Record<string, unknown>): void;
  /** The same log, with the room's name on each line. */
  room(name: string): Log;
}

export const silentLog: Log = { log() {}, room: () => silentLog };
