/** Completion gates: commands that we run, not the agent, when it claims to be done. All must pass. */
import type { GateResult } from '../../loop/index.js';
import type { RunningAgent } from '../agent-process.js';
import { Countdown } from '../countdown.js';
import { agentEnv } from '../environment.js';
import { Standstill } from './standstill.js';
import type { Stopped, WorkPorts } from './work.js';

/** The end of a gate's output: where it says what went wrong. */
const TAIL_BYTES = 4 * 1024;

export class Gates {
  readonly #ports: WorkPorts;
  #running: RunningAgent | undefined;
  #over: Promise<unknown> | undefined;
  #stopped = false;
  #pause: Standstill | undefined;
  #timeout: Countdown | undefined;

  constructor(ports: WorkPorts) {
    this.#ports = ports;
  }

  run(names: string[]): Promise<GateResult[]> {
    const results = this.#all(names);
    this.#over = results;
    return results;
  }

  async #all(names: string[]): Promise<GateResult[]> {
    this.#stopped = false;
    const results: GateResult[] = [];
    for (const name of names) {
      await this.#pause?.over;
      if (this.#stopped) break;
      results.push(await this.#one(name));
    }
    return results;
  }

  /** Ends what runs now, and starts no further one; resolves when nothing runs. */
  async stop(how: 'stop' | 'kill'): Promise<Stopped> {
    this.#stopped = true;
    this.#pause?.end();
    const report = await this.#running?.stop(how, 'the session stops');
    await this.#over;
    return report ?? { processes: [], left: 0 };
  }

  /** Also between two of them: the next one waits. */
  async pause(): Promise<number[]> {
    this.#pause ??= new Standstill();
    this.#timeout?.hold();
    return (await this.#running?.pause()) ?? [];
  }

  async resume(): Promise<number[]> {
    const pids = (await this.#running?.resume()) ?? [];
    this.#timeout?.release();
    this.#pause?.end();
    this.#pause = undefined;
    return pids;
  }

  async #one(name: string): Promise<GateResult> {
    const { spec, journal, clock, log } = this.#ports;
    const gate = spec.config.event_loop.gates.find((one) => one.name === name);
    const began = clock.now();
    const seconds = () => (clock.now() - began) / 1000;
    const started = await this.#ports.start({
      command: '/bin/sh',
      args: ['-c', gate?.run ?? 'false'],
      cwd: spec.cwd,
      env: agentEnv(this.#ports, {}),
      io: 'pipe',
      stdin: 'closed',
      size: spec.seat.size,
      session: spec.id,
      journal,
      clock,
      log,
    });
    if (!started.ok) return { gate: name, ok: false, exitCode: null, seconds: seconds(), tail: started.reason };
    const { agent } = started;
    this.#running = agent;
    // Asked to stop while it was being started: it had nobody to tell.
    if (this.#stopped) void agent.stop('stop', 'the session stops');
    let tail = Buffer.alloc(0);
    agent.proc.onOutput((chunk) => {
      tail = Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES);
    });
    let late = false;
    if (gate?.timeout_secs) {
      const call = () => {
        late = true;
        void agent.stop('stop', `gate ${name} ran longer than ${gate.timeout_secs} s`);
      };
      this.#timeout = new Countdown({ ms: gate.timeout_secs * 1000, clock, call });
    }
    if (this.#pause) void this.pause();
    const exit = await agent.exited;
    this.#timeout?.cancel();
    this.#timeout = undefined;
    await agent.sweep();
    this.#running = undefined;
    const note = late ? `\n(stopped after ${gate?.timeout_secs} s)` : '';
    return {
      gate: name,
      ok: exit.code === 0 && !late,
      exitCode: exit.code,
      seconds: seconds(),
      tail: tail.toString('utf8') + note,
    };
  }
}
