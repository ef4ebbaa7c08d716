/**
 * An agent's own server beside its terminal program: started first, on a socket in a folder that only we can read. Every
 * approval comes to us over it while the program shows its dialog; the first answer wins. Without the server the program
 * can run nothing, so its end is the session's end. It carries the session's mark: whoever stops the agent stops it too.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WebSocket } from 'ws';
import type { CompanionPlan } from '../../adapters/index.js';
import { type AgentOutput, type Clock, once } from '../../contract/index.js';
import type { RunningAgent, StartedAgent } from '../agent-process.js';
import type { Asked } from '../desk.js';
import { ControlDoor } from './control.js';
import type { DoorPorts } from './door.js';

/** Codex's was there after 0.2 to 1 s; a machine under load gets more. */
const OPEN_MS = 30_000;
const RETRY_MS = 25;
/** One message may carry a whole file; the same bound as a line of the protocol. */
const LONGEST_MESSAGE = 64 * 1024 * 1024;
/** A socket's path has 108 bytes at most; a temporary folder deeper than this is not used. */
const LONGEST_FOLDER = 80;
/** Characters of what it printed last, for the reason. */
const LAST_WORDS = 300;

/** Only sessions with a companion pay for loading it. */
export const loadWebSocket = once(() => import('ws'));

export interface CompanionParts {
  plan: CompanionPlan;
  start(socket: string): Promise<StartedAgent>;
  ask: DoorPorts['ask'];
  /** Names of conversations, and trouble. */
  said(output: AgentOutput): void;
  clock: Clock;
}

export type Opened = { ok: true; companion: Companion } | { ok: false; reason: string };

export class Companion {
  readonly agent: RunningAgent;
  /** Why it is gone, if it went before it was left. */
  readonly lost: Promise<string>;
  /** What the terminal program is started with. */
  args: string[] = [];
  /** What there was to join. */
  conversation: string | undefined;
  readonly #folder: string;
  readonly #door: ControlDoor;
  readonly #parts: CompanionParts;
  #link: WebSocket | undefined;
  #lose: (reason: string) => void = () => undefined;
  #left = false;

  private constructor(parts: CompanionParts, agent: RunningAgent, folder: string) {
    this.#parts = parts;
    this.agent = agent;
    this.#folder = folder;
    this.lost = new Promise((resolve) => {
      this.#lose = (reason) => !this.#left && resolve(reason);
    });
    this.#door = new ControlDoor({
      protocol: parts.plan.protocol,
      ports: {
        said: (output) => this.#said(output),
        state: () => undefined,
        ask: parts.ask,
        write: (bytes) => this.#write(String(bytes)),
        endInput: () => undefined,
      },
    });
    // Nothing it prints is for anyone, but a full pipe would block it.
    agent.proc.onOutput((chunk) => this.#door.feed(chunk, 'err'));
    void agent.exited.then(({ code, signal }) => {
      const words = this.#door.lastWords.trim().slice(-LAST_WORDS);
      this.#lose(`the agent’s server ended (${signal ?? `exit code ${code}`})${words === '' ? '' : `: ${words}`}`);
    });
  }

  /** Contract: never rejects; what did not open leaves nothing behind. */
  static async open(parts: CompanionParts): Promise<Opened> {
    const base = Buffer.byteLength(tmpdir()) > LONGEST_FOLDER ? '/tmp' : tmpdir();
    const folder = mkdtempSync(join(base, 'reins-'));
    const socket = join(folder, 's');
    const started = await parts.start(socket);
    if (!started.ok) {
      rmSync(folder, { recursive: true, force: true });
      return { ok: false, reason: started.reason };
    }
    const companion = new Companion(parts, started.agent, folder);
    const reason = await companion.#opened(socket);
    if (reason === undefined) return { ok: true, companion };
    companion.leave();
    await companion.agent.stop('kill', reason);
    companion.close();
    return { ok: false, reason };
  }

  /** Something waits for an answer, here or in the agent's own dialog. */
  get asking(): Asked | undefined {
    return this.#door.asking;
  }

  /** The terminal program is gone: a turn that still runs is ended, because the server would wait for it. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    void this.#door.interrupt();
    this.#door.end();
  }

  close(): void {
    this.leave();
    this.#link?.terminate();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #joined: () => void = () => undefined;

  /** Undefined when the terminal program can come, else why not. */
  async #opened(socket: string): Promise<string | undefined> {
    const { clock, plan } = this.#parts;
    let cancel: () => void = () => undefined;
    const late = new Promise<string>((resolve) => {
      cancel = clock.after(OPEN_MS, () => resolve(`the agent’s server did not open within ${OPEN_MS / 1000} s`));
    });
    const ready = new Promise<undefined>((resolve) => {
      this.#joined = () => resolve(undefined);
    });
    const failed = Promise.race([this.lost, late]);
    let over = false;
    void failed.then(() => {
      over = true;
    });
    const link = await Promise.race([this.#connect(socket, () => over), failed]);
    if (typeof link === 'string' || link === undefined) {
      cancel();
      return link ?? (await failed);
    }
    this.#follow(link);
    this.#door.open(plan.prompt);
    const reason = await Promise.race([ready, failed]);
    cancel();
    if (reason !== undefined) return reason;
    this.conversation = plan.protocol.joinable()?.conversation;
    this.args = plan.join({
      socket,
      ...(this.conversation === undefined ? {} : { conversation: this.conversation }),
    });
    return undefined;
  }

  /** Its socket is there a moment after its process. */
  async #connect(socket: string, over: () => boolean): Promise<WebSocket | undefined> {
    const { WebSocket } = await loadWebSocket();
    while (!over()) {
      const link = new WebSocket('ws://localhost/', {
        createConnection: () => connect(socket),
        perMessageDeflate: false,
        maxPayload: LONGEST_MESSAGE,
      });
      const there = await new Promise<boolean>((resolve) => {
        link.once('open', () => resolve(true));
        // An error ends the connection, and its close says what there is to say.
        link.on('error', () => resolve(false));
      });
      if (there) return link;
      await new Promise<void>((resolve) => this.#parts.clock.after(RETRY_MS, resolve));
    }
    return undefined;
  }

  #follow(link: WebSocket): void {
    this.#link = link;
    const { protocol } = this.#parts.plan;
    link.on('message', (data) => {
      this.#door.feed(Buffer.concat([data as Buffer, Buffer.from('\n')]), 'out');
      if (protocol.joinable()) this.#joined();
    });
    link.once('close', () => this.#lose('the agent’s server closed its connection'));
  }

  #said(output: AgentOutput): void {
    if (output.kind === 'error' && output.fatal && this.args.length === 0) this.#lose(output.message);
    if (output.kind === 'error' || output.kind === 'conversation') this.#parts.said(output);
  }

  /** One line, one message. */
  #write(line: string): Promise<'written' | 'gone'> {
    const link = this.#link;
    if (!link || link.readyState !== link.OPEN) return Promise.resolve('gone');
    return new Promise((resolve) => link.send(line.trimEnd(), (error) => resolve(error ? 'gone' : 'written')));
  }
}
