/** Completion gates: commands that we run, not the agent, when it claims to be done. All must pass. */
import type { GateResult } from '../../loop/index.js';
import type { RunningAgent } from '../agent-process.js';
import { Countdown } from '../countdown.js';
import { agentEnv } from '../environment.js';
import { writePrompt } from '../launch.js';
import { Standstill } from './standstill.js';
import type { Stopped, WorkPorts } from './work.js';

/** The end of a gate's output: where it says what went wrong. */
const TAIL_BYTES = 4 * 1024;
/** Kept of an output that is longer, for the agent to read: its end. */
const OUTPUT_BYTES = 256 * 1024;

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

  run({ gates, iteration }: { gates: string[]; iteration: number }): Promise<GateResult[]> {
    const results = this.#all(gates, iteration);
    this.#over = results;
    return results;
  }

  async #all(names: string[], iteration: number): Promise<GateResult[]> {
    this.#stopped = false;
    const results: GateResult[] = [];
    for (const [index, name] of names.entries()) {
      await this.#pause?.over;
      if (this.#stopped) break;
      const file = `prompts/${String(iteration).padStart(3, '0')}-gate-${index + 1}.txt`;
      results.push(await this.#one(name, file));
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

  async #one(name: string, file: string): Promise<GateResult> {
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
    let output: Uint8Array[] = [];
    let size = 0;
    agent.proc.onOutput((chunk) => {
      output.push(chunk);
      size += chunk.length;
      // Joined now and then, not at each piece: a gate may say a gigabyte in small ones.
      if (size < 2 * OUTPUT_BYTES) return;
      output = [Buffer.concat(output).subarray(-OUTPUT_BYTES)];
      size = OUTPUT_BYTES;
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
    await agent.sweep(`gate ${name}`);
    this.#running = undefined;
    const whole = Buffer.concat(output).subarray(-OUTPUT_BYTES);
    const ok = exit.code === 0 && !late;
    const note = late ? `\n(stopped after ${gate?.timeout_secs} s)` : '';
    return {
      gate: name,
      ok,
      exitCode: exit.code,
      seconds: seconds(),
      tail: whole.subarray(-TAIL_BYTES).toString('utf8') + note,
      ...(ok || whole.length <= TAIL_BYTES ? {} : this.#keep(file, whole.toString('utf8') + note)),
    };
  }

  /** For the next prompt's hand-over; a disk that takes nothing leaves the tail. */
  #keep(file: string, text: string): { outputFile?: string } {
    try {
      writePrompt(this.#ports.dir, file, text);
      return { outputFile: file };
    } catch {
      return {};
    }
  }
}
