/**
 * What Reins knows about one kind of agent: how to find it, start it, read it, ask it and answer it. One file per agent
 * implements `Adapter`; everything here is pure, the host does the I/O. Doors: `stream` (headless, one-way), `control`
 * (headless, two-way: every approval is a request we must answer), `tui` (its own terminal program, plus hooks).
 */
import type {
  AgentOutput,
  AgentState,
  Clock,
  Decoder,
  Inquiry,
  ScreenShot,
  SessionId,
  Trust,
  Verdict,
} from '../contract/index.js';
import type { Consultation } from './consultation.js';
import type { FailureSigns } from './failures.js';
import type { TranscriptReader } from './transcripts/tail.js';

export type Door = 'stream' | 'control' | 'tui';

/** The part of an inquiry that the agent's side knows; the desk adds id, session and times. */
export type InquiryDraft = Omit<Inquiry, 'id' | 'session' | 'opened_at' | 'deadline_at'>;

/** A settled inquiry, as the agent's side needs it. `reason` is told to the agent with a deny. */
export interface Settled {
  verdict: Verdict;
  reason?: string;
  /** Who answered in the user's place, and why: told to the agent beside the answer. */
  voice?: string;
  /** The turn is over as well (a person pressed stop, not merely "no"). */
  interrupt?: boolean;
}

export interface CustomSettings {
  command?: string;
  args: string[];
  prompt_mode: 'arg' | 'stdin';
  prompt_flag?: string;
  acp?: boolean;
  /** The user's word that it asks over ACP before it uses a tool. */
  acp_asks?: boolean;
}

/** Where a plan depends on files: the host looks. Both throw where something is there that cannot be read. */
export interface Look {
  /** Undefined where there is no such file. */
  text(file: string): string | undefined;
  /** Nothing where there is no such folder. */
  names(folder: string): string[];
  /** Without links on the way; undefined where it leads nowhere. */
  real(path: string): string | undefined;
}

export interface LaunchAsk {
  door: Door;
  mode: 'autonomous' | 'interactive';
  trust: Trust;
  /** Absent: the agent starts empty (interactive only). */
  prompt?: string;
  /** A private file that already holds `prompt`, for prompts that do not fit into an argument. */
  promptFile: string;
  cwd: string;
  /** What `--version` said, as far as it was asked. */
  version?: string;
  /** The user's own arguments (`adapters.<x>.args` and what stands behind `--`), placed after ours. */
  args: string[];
  /** A directory that only we can read and that lives as long as the session. */
  dir: string;
  session: SessionId;
  /** The agent's own conversation: to be named so, or to be resumed. */
  conversation?: { id: string; resume: boolean };
  /**
   * argv of our hook program, with where it finds the host, to which the name of an event is added. Under guarded it is the
   * gate; under full trust it only hears what happens, and nothing is asked.
   */
  hook?: { argv: string[]; timeoutSecs: number };
  custom: CustomSettings;
  /** The environment the agent would inherit: read, never copied into the plan. */
  env: Record<string, string | undefined>;
  look: Look;
  /** For texts like "try again in 3 hours"; the system's clock if absent. */
  clock?: Clock;
  /** One turn of a loop in the agent's own terminal program: nobody may sit there to answer its first pages. */
  oneTurn?: boolean;
  /** Somebody reads along: words are wanted while they are written. */
  partial?: boolean;
  /** Whoever asks can run a companion beside the agent. */
  companion?: boolean;
  /** Whether a deny rule is about a tool of this name: then the agent has to ask before it uses it. */
  denies?(tool: string): boolean;
  /** Whether an allow rule is about a tool of this name: else one that the agent cannot ask about is left out. */
  allows?(tool: string): boolean;
  /** The real path of `cwd`, where the user has said that what this folder brings along for the agent may count. */
  trustedFolder?: string;
}

/** A file of the folder that can make the agent start something, or decide in our place. */
export interface FolderFile {
  /** Relative to the folder. */
  file: string;
  /** It is a folder, and every file in it with this ending counts. */
  each?: string;
  /**
   * What it would start or change, one line each and whole, as a person should read it before saying yes; none: nothing.
   * Contract: never throws; a file that cannot be understood is a line too. What is not in these lines stays out.
   */
  starts(content: string): string[];
}

/** One entry in the agent's own file of JSON that answers a first-run page before it is asked. */
export interface FileEntry {
  file: string;
  path: string[];
  value: boolean;
  /** A folder whose existence means that the agent itself is writing; as its own processes do it. */
  lock: string;
}

/** A folder of ours with a link to everything in one of the user's. */
export interface Mirror {
  dir: string;
  of: string;
  /** Names that are not linked. */
  without: string[];
  /** Made in the original where they are not there, as the agent would: what it writes there is the user's to keep. */
  folders: string[];
  /** Linked even where they are not there yet: what the agent writes lands in the original. */
  files: string[];
}

export interface LaunchPlan {
  /** argv[0] is the program as it stands on PATH; the host resolves it. */
  command: string;
  args: string[];
  /** Changes to the environment; undefined removes. */
  env: Record<string, string | undefined>;
  io: 'pty' | 'pipe';
  /** `closed`: end of file at once. `open`: we write to it. A file: its content, then end of file, also in a pty. */
  stdin: 'closed' | 'open' | { file: string };
  /** Written before the start, 0600 or as `mode` says; paths inside `dir`. */
  files: { path: string; content: string; mode?: number }[];
  /** Reads stdout (stream door); absent when a protocol or the screen is read instead. */
  decoder?: Decoder;
  protocol?: Protocol;
  tui?: Tui;
  /** A folder whose files of this ending make the agent ignore what `files` says: then deny rules are not kept. */
  voidedBy?: { folder: string; ending: string };
  /** Made before the start, in this order; `files` come after them. */
  mirrors?: Mirror[];
  /** Put into the agent's own file before the start: only what the user agreed to, and only where no flag says it. */
  accepts?: FileEntry;
  /** Runs beside the terminal program, and is its gate; `args` then only show what `companion.join` will say. */
  companion?: CompanionPlan;
  /** How calls of our hook are read and answered where there is no `tui` (amp's delegate); with a `tui`, its own counts. */
  hook?: HookFace;
  /** Exit code with which the agent asks to be started again: it changed its own settings. */
  restartExit?: number;
  /** What to submit once the agent is ready, when the prompt could not travel with the command line. */
  submit?: string;
  /** The agent's own polite way to end, tried before SIGTERM: keys into its terminal, a signal, or closing its stdin. At most 0.7 s. */
  polite?: { signal?: NodeJS.Signals; keys?: string; eof?: boolean; waitMs: number };
  /** Changes to the environment that the gate rests on: nothing the user or the config says comes after them. */
  pinned?: Record<string, string | undefined>;
  /** For the journal: why a flag differs from the documented one, what could not be had. */
  notes: string[];
}

/**
 * Why there is no plan: an agent that cannot be gated under guarded, a deny rule it would not keep, a mode it lacks,
 * arguments of the user's that could open the gate.
 */
export interface Refusal {
  refused: 'ungated' | 'no-door' | 'no-command' | 'deny' | 'args';
  reason: string;
}

export interface Adapter {
  id: string;
  /** As people write it: Claude Code, Codex. */
  label: string;
  command: string;
  /** How to get it, one line: a link or a command. */
  install: string;
  /** Where `auto` looks for it, lowest first; absent: only used when named. */
  priority?: number;
  /** It prints no record of how its turn ended: the exit code has to do (see `successOf`). */
  plain?: boolean;
  /** How its failures are told apart; without a word, only what all programs have in common. */
  failures?: FailureSigns;
  /** Its terminal program can take up a recorded conversation by its id. */
  resumes?: boolean;
  /** Its terminal program lets us name a new conversation. */
  takesName?(version: string | undefined): boolean;
  /** Its terminal program asks whether to trust a folder, and can be told beforehand (`LaunchAsk.trustedFolder`). */
  asksFolderTrust?: boolean;
  /** What a folder can bring along for it: left out until the user has seen it and agreed (`LaunchAsk.trustedFolder`). */
  folder?: FolderFile[];
  /** Which door a mode and a trust lead to, given the version found; undefined: none (see `plan` for the reason). */
  door(ask: {
    mode: 'autonomous' | 'interactive';
    trust: Trust;
    version?: string;
    custom: CustomSettings;
  }): Door | Refusal;
  plan(ask: LaunchAsk): LaunchPlan | Refusal;
  /** Of an adapter from outside; those that come with Reins have it in a file of its own (`loaded.ts`). */
  consultation?: Consultation;
}

/** One thing that a two-way protocol wants done, in order. */
export type ProtocolStep =
  | { do: 'output'; output: AgentOutput }
  | { do: 'write'; bytes: string }
  /** The agent waits for this; `key` names it when we answer. After `withinMs` it goes on without an answer. */
  | { do: 'ask'; key: string; inquiry: InquiryDraft; withinMs?: number }
  /** The agent no longer waits for it: the turn was interrupted, or (`there`) its dialog on its own screen is gone. */
  | { do: 'withdraw'; key: string; reason: string; there?: 'there' };

/** A two-way conversation with a headless agent: bytes in, steps out. Never throws; garbage is `unknown` output. */
export interface Protocol {
  /** First bytes after the start. */
  open(prompt: string | undefined): ProtocolStep[];
  feed(chunk: Uint8Array): ProtocolStep[];
  /** Contract: exactly one call per `ask`; an answer the agent cannot carry becomes a deny with a reason. */
  settle(key: string, settled: Settled): ProtocolStep[];
  submit(text: string): ProtocolStep[];
  interrupt(): ProtocolStep[];
  /** These bytes of ours did not reach the agent. True: a turn was to begin with them, and none does. */
  unsent?(bytes: string): boolean;
  /** Absent: there is no way to switch the model. */
  model?(name: string): ProtocolStep[];
  /** The stream ended: what was still held back. */
  end(): ProtocolStep[];
}

/**
 * The agent's own server, on a socket that only we and the terminal program know: the program shows what happens, the
 * server asks both of us, and the first answer wins.
 */
export interface CompanionPlan {
  /** Of the server, which is the same program. */
  args(socket: string): string[];
  /** What goes to the server as the first prompt. */
  prompt?: string;
  protocol: CompanionProtocol;
  /** The terminal program's arguments, once `joinable` says what there is to join. */
  join(at: { socket: string; conversation?: string }): string[];
}

export interface CompanionProtocol extends Protocol {
  /** Undefined while the terminal program has to wait. */
  joinable(): { conversation?: string } | undefined;
}

/** What one call of our hook means, and what to print back to the agent. */
export type HookMeaning =
  /** The agent waits for our answer. `dialog`: it shows its own dialog at the same time, first answer wins. */
  | { kind: 'gate'; inquiry: InquiryDraft; dialog: boolean; outputs?: AgentOutput[] }
  /** A fact about the session; the agent does not wait for more than our acknowledgement. */
  | {
      kind: 'fact';
      outputs: AgentOutput[];
      submitted?: string;
      transcript?: string;
      conversation?: string;
      state?: AgentState;
    }
  | { kind: 'ignore' };

/** How calls of our hook program are understood and answered. */
export interface HookFace {
  meaning(event: string, payload: unknown): HookMeaning;
  reply(event: string, payload: unknown, settled: Settled): HookReply;
  /** What to print when anything is unclear: always a refusal. */
  trouble(event: string, reason: string): HookReply;
  /** Nothing to say: let the agent go on as if there were no hook. */
  pass(event: string): HookReply;
  /** The agent shall open its own dialog, beside which it calls us again; absent: every gate waits for our answer. */
  leaveToDialog?(event: string): HookReply;
}

export interface HookReply {
  stdout: string;
  stderr: string;
  exit: number;
}

/** A dialog recognised on the agent's rendered screen, with the keys that answer it. */
export interface ScreenDialog {
  /** Stable while the same dialog stays open. */
  key: string;
  kind: 'permission' | 'question' | 'first-run' | 'other';
  inquiry: InquiryDraft;
  /** Keys for a verdict, or undefined if this dialog cannot carry it. */
  keys(settled: Settled): string[] | undefined;
  /** The same although what is chosen or typed in it changes its labels. */
  page?: string;
  /** Its keys follow from how it stands: in the middle of them it asks for those that are left, or something went wrong. */
  follows?: true;
  /** The dialog that its own keys lead to before the last one, by the beginning of its key. */
  leadsTo?: string;
  /** A line for a plain program, which the terminal shows or, for a secret, does not. */
  line?: 'shown' | 'unseen';
}

/**
 * What a rendered screen says. Text is typed only into `composer`: a reader that cannot prove the input box leaves it out,
 * and nothing is typed. No `state`, no `dialog` and no `composer` is an unknown screen; if it stands still, a person is
 * told.
 */
export interface ScreenReading {
  state?: AgentState;
  dialog?: ScreenDialog;
  /** The program's own input box stands there, whole, with the cursor in it; also while the program works. */
  composer?: boolean;
  /** Its text, if a page, menu or box that is not the input box takes the keys and could not be read (cut off, new). */
  unread?: string;
}

/** How an agent's own terminal program is read and gated. */
export interface Tui {
  /** Nothing is read off its screen: text is typed because somebody said so, and nothing proves that it was taken. */
  blind?: boolean;
  /** What is typed into its input box while it works is kept for later, or steers the turn. */
  queues?: boolean;
  /** Reads a rendered screen (title included). Text the model printed must never count as a sign. */
  read(screen: ScreenShot): ScreenReading;
  /** Operating system commands the agent writes (OSC number and text), as state. */
  osc?(code: number, text: string): AgentState | undefined;
  hook?: HookFace;
  /** A file the agent keeps about itself, by pid; absolute. It may say that the agent asks, never that it does not. */
  statusFile?(pid: number): string;
  status?(content: string): AgentState | undefined;
  /** The agent's own record of the conversation, in files that grow. */
  transcript?: Transcript;
  /** How text is put into its input box. */
  submit: {
    pasteSettleMs: number;
    slash: 'typed' | 'pasted';
    /** First characters that would run something. */
    defuse: string[];
    /** What is put before them; a space if absent. */
    defuseWith?: string;
  };
  interruptKeys: string;
  /** The line that switches its model; absent: it has none. */
  model?(name: string): string;
  /** What stands in its input box, and, for agents that put an interrupted prompt back there, the keys that empty it. */
  draft?: { read(screen: ScreenShot): string | undefined; clear?: string };
}

/** Where an agent keeps its record of a conversation, and how it is read. */
export interface Transcript {
  /** Where to look for it. A hook that names a file is believed before this. */
  place: TranscriptPlace;
  /** Where those begun after a resumed one are. */
  next?: TranscriptPlace;
  /** Files that belong to the one at `path`, as they appear: sub-agents. */
  beside?(path: string): TranscriptPlace;
  /** Its processes each keep a note of the conversation they are in: followed where no hook tells of a new one. */
  note?: {
    file(pid: number): string;
    conversation(content: string): string | undefined;
    place(conversation: string): TranscriptPlace;
  };
  /** Contract: one per launch. `since`: what is older was said before it. */
  reader(options: { since: number }): TranscriptReader;
}

export interface TranscriptPlace {
  /** Absolute; may not be there yet. */
  dir: string;
  /** How many folders below `dir` the file lies: 0 is in it. */
  depth: number;
  name: RegExp;
  /** Whether a file that begins with this line is the one; absent: its name is enough. */
  owns?(head: string, about: { cwd: string; since: number }): boolean;
  /** The agent may begin a new conversation in a new file at any time, and no hook tells of it. */
  changes?: boolean;
}
