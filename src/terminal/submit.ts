/**
 * The one way text is put into an agent's input box: made harmless, pasted (or typed), then one Enter in a write of its
 * own, then a wait for proof. Knows no agent: what is ready, a dialog, or proof comes from the caller. It never types
 * twice: when proof does not come it says `no-evidence` and leaves the decision to whoever asked.
 */
import type { Clock, SendReceipt } from '../contract/index.js';
import type { Written } from './process.js';

/** Codex reads Enter within 30 ms of typed text as a newline, gemini within 60 ms of a paste; slow machines need more. */
const SETTLE_MS = 150;

/** How long proof may take before the verdict is `no-evidence`. */
const EVIDENCE_MS = 10_000;

/** Large texts are digested first: gemini took 4 s for 200 KB on a busy machine, and not seeing is not losing. */
const EVIDENCE_MS_PER_KB = 50;

/** A queued message is proven when its turn comes, which may be long: only a quick sign is waited for. */
const QUEUED_EVIDENCE_MS = 1_000;

/** How long an agent that starts, or paints, is waited for. */
const READY_MS = 60_000;

/** With the text in its box an agent repaints at once; what has no box by then is not looked at for longer. */
const ENTER_READY_MS = 2_000;

/** Pieces of one write: a terminal takes 4 KB at a time, and between pieces other keys stay in order. */
const PIECE_BYTES = 16 * 1024;

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';

/**
 * Whether text may be typed now. `type`: an input box waits for it. `queue`: the program works and keeps it. `blind`:
 * nobody can see what would take it. `later`: it is worth waiting. `no`: something else would get the keys.
 */
export type MayType = { may: 'type' | 'queue' | 'blind' } | { may: 'later' | 'no'; reason: string };

export interface SubmitOptions {
  text: string;
  /** Bytes to the agent's terminal. */
  write: (bytes: Uint8Array) => Promise<Written>;
  /** Asked right before pasting: is bracketed paste on now? */
  screenModes: () => Promise<{ bracketedPaste: boolean }>;
  clock: Clock;
  /** Resolves with what proved it (`hook`, `transcript`, `protocol`, `screen`) once the agent has taken the message. */
  evidence?: (signal: AbortSignal) => Promise<string>;
  /** Asked before the text is typed, and again right before Enter, when a dialog may have come. Absent: always. */
  mayType?: (before: 'text' | 'enter') => MayType | Promise<MayType>;
  settleMs?: number;
  evidenceMs?: number;
  readyMs?: number;
  /** First characters that mean something to the agent (`!`, `/`, `#`): one space is put before them. */
  defuse?: string[];
  /** What is put before them where a space would be trimmed away again. */
  defuseWith?: string;
  /** A slash command was meant: its `/` stays, and it is typed, not pasted. */
  slash?: 'typed' | 'pasted' | 'no';
  /** A plain program that reads lines, not an agent: text is typed line by line, as a person would. */
  plain?: boolean;
}

export async function submit(options: SubmitOptions): Promise<SendReceipt> {
  const { write, clock, settleMs = SETTLE_MS } = options;
  const isSlash = options.slash !== undefined && options.slash !== 'no';
  const clean = cleanText(options.text);
  const text = isSlash ? clean.trim() : defused(clean, options.defuse ?? ['!', '/'], options.defuseWith);
  if (text.trim() === '') return refused('there is nothing to send: the text is empty');
  if (isSlash && text.includes('\n')) return refused('a slash command is one line');
  if (options.plain) return typeLines({ ...options, text });

  const before = await allowed(options, 'text', options.readyMs ?? READY_MS);
  if ('reason' in before) return refused(`${before.reason}; nothing was typed`);

  const { bracketedPaste } = await options.screenModes();
  const typed = isSlash && options.slash === 'typed';
  if (!bracketedPaste && text.includes('\n')) {
    return refused('the program does not take pasted text now, and each line would be sent on its own');
  }
  const paste = bracketedPaste && !typed;
  const wrote = await writeAll(write, paste ? PASTE_START + text + PASTE_END : text);
  if (wrote !== 'written') return refused(undelivered(wrote, 'part of the text may be in its input box'));

  await pause(clock, settleMs);
  const still = await allowed(options, 'enter', ENTER_READY_MS);
  if ('reason' in still) {
    return refused(`${still.reason}; Enter was not pressed, the text may be in the input box`);
  }
  const longest = options.evidenceMs ?? EVIDENCE_MS + Math.ceil(text.length / 1024) * EVIDENCE_MS_PER_KB;
  const evidenceMs = still.may === 'queue' ? Math.min(longest, QUEUED_EVIDENCE_MS) : longest;
  const proof = still.may === 'blind' ? undefined : startProof({ ...options, evidenceMs });
  const entered = await write(ENTER);
  if (entered !== 'written') {
    proof?.cancel();
    return refused(undelivered(entered, 'the text is in its input box and was not sent'));
  }
  const evidence = await proof?.result;
  const told = evidence === undefined ? {} : { evidence };
  if (still.may === 'queue') return { verdict: 'queued', reason: 'the agent was working', ...told };
  if (evidence !== undefined) return { verdict: 'submitted', ...told };
  if (still.may === 'blind')
    return { verdict: 'no-evidence', reason: 'typed; this program gives no sign that it took it' };
  const reason = proof ? 'the agent gave no sign that it took the message' : 'nothing here can prove it';
  return { verdict: 'no-evidence', reason };
}

const ENTER = Uint8Array.of(0x0d);

/** Line by line with Enter after each: for a shell or an interpreter, where each line is meant to be run. */
async function typeLines({ text, write, clock, settleMs = 0, ...options }: SubmitOptions): Promise<SendReceipt> {
  const proof = startProof({ ...options, text, write, clock });
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const wrote = await writeAll(write, `${line}\r`);
    if (wrote !== 'written') {
      proof?.cancel();
      return refused(undelivered(wrote, 'some lines may have been typed'));
    }
    if (settleMs > 0) await pause(clock, settleMs);
  }
  const evidence = await proof?.result;
  return evidence === undefined
    ? { verdict: 'no-evidence', reason: 'typed; a plain program gives no sign that it took it' }
    : { verdict: 'submitted', evidence };
}

/** Polls: what allows it comes from several signals at once, and being late by one look costs nothing. */
async function allowed({ mayType, clock }: SubmitOptions, step: 'text' | 'enter', forMs: number): Promise<MayType> {
  const until = clock.now() + forMs;
  for (;;) {
    const answer = (await mayType?.(step)) ?? { may: 'type' };
    if (answer.may !== 'later' || clock.now() >= until) return answer;
    await pause(clock, READY_LOOK_MS);
  }
}

const READY_LOOK_MS = 50;

/** Listens before Enter is pressed: proof may come faster than the write returns. */
function startProof(options: SubmitOptions): { result: Promise<string | undefined>; cancel: () => void } | undefined {
  if (!options.evidence) return undefined;
  const abort = new AbortController();
  const result = new Promise<string | undefined>((resolve) => {
    const cancelTimer = options.clock.after(options.evidenceMs ?? EVIDENCE_MS, () => {
      resolve(undefined);
      abort.abort();
    });
    const settle = (evidence: string | undefined): void => {
      cancelTimer();
      resolve(evidence);
    };
    abort.signal.addEventListener('abort', () => settle(undefined));
    // A source of proof that fails is no proof.
    options.evidence?.(abort.signal).then(settle, () => settle(undefined));
  });
  return { result, cancel: () => abort.abort() };
}

async function writeAll(write: SubmitOptions['write'], text: string): Promise<Written> {
  const bytes = Buffer.from(text, 'utf8');
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const wrote = await write(bytes.subarray(at, at + PIECE_BYTES));
    if (wrote !== 'written') return wrote;
  }
  return 'written';
}

function undelivered(why: 'gone' | 'full', rest: string): string {
  return why === 'gone' ? 'the agent has ended' : `the agent does not read its input; ${rest}`;
}

const refused = (reason: string): SendReceipt => ({ verdict: 'refused', reason });

const pause = (clock: Clock, ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));

/**
 * Makes text harmless for an agent's input box: only what a person could have typed or pasted remains (a pasted `ESC [ 201 ~`
 * would end the paste and turn the rest into keys). Newlines become `\n`; ESC, C0 (but newline and tab), DEL, C1 and halves of characters (lone surrogates) go.
 */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
    .replace(/\p{Surrogate}/gu, '');
}

/**
 * Something harmless before a first character that the agent would take as a command (`!` runs a shell, `/` a command).
 * Where the agent trims first, spaces of the text's own are no guard either: then the first letter counts.
 */
export function defused(text: string, starts: string[], guard = ' '): string {
  const bare = guard.trim() === '' ? text : text.trimStart();
  return starts.some((start) => start !== '' && bare.startsWith(start)) ? `${guard}${bare}` : text;
}
