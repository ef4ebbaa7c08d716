/**
 * The journal as a run shows it: the assistant's text on stdout, everything else as short lines of chrome on stderr; or
 * each entry as one JSON line. Text from the agent is made harmless before it stands in a line of ours.
 */
import { type Change, type Entry, type EntryPayload, nameOf, shellWord } from '../contract/index.js';
import { AnswersTold, asksAnother, noAnswer } from './answers-told.js';
import type { Channels } from './channels.js';
import { Denials } from './denials.js';
import { answerLines, callInWords, describeInquiry } from './describe.js';
import { duration, harmless, processCount } from './table.js';

const LONGEST_LINE = 160;
/** Longer texts are cut in places. */
const SAME_LIMIT = 400;
const MOST_PROMPT_LINES = 20;

export interface RenderOptions {
  /** Show what the agent thinks and what its tools returned. */
  verbose?: boolean;
}

export class Renderer {
  readonly #channels: Channels;
  readonly #verbose: boolean;
  #calls = new Map<string, string>();
  /** Denials this iteration has told of: what the tool and the agent say about the same one is no news. */
  readonly #denials = new Denials();
  readonly #answers = new AnswersTold();
  #tokens = '';
  /** Only a loop can be continued. */
  #loop = false;
  /** What the usage limit said that was told last. */
  #limit: string | undefined;
  #startedAt: string | undefined;

  constructor(channels: Channels, options: RenderOptions = {}) {
    this.#channels = channels;
    this.#verbose = options.verbose === true;
  }

  entry(entry: Entry): void {
    if (this.#channels.format === 'json') {
      this.#channels.out(`${JSON.stringify(entry)}\n`);
      return;
    }
    if (entry.type === 'agent.text') this.#channels.out(cleanText(entry.data.text));
    else this.#chrome(entry);
  }

  #chrome(entry: Entry): void {
    switch (entry.type) {
      case 'session.started':
        this.#loop = entry.data.mode === 'autonomous';
        this.#startedAt = entry.ts;
        this.#denials.begin();
        if (entry.data.changed) this.#whole('cyan', `  ${changesLine(entry.data.changed)}`);
        break;
      case 'iteration.started':
        this.#iterationStarted(entry.data);
        break;
      case 'agent.ended':
        this.#tokens = tokens(entry.data);
        break;
      case 'tool.called':
        this.#tool(entry.data);
        break;
      case 'tool.returned':
        this.#returned(entry.data);
        break;
      case 'prompt.given':
        for (const line of entry.data.text.split('\n').slice(0, MOST_PROMPT_LINES)) this.#line('cyan', `› ${line}`);
        break;
      case 'turn.ended':
        if (!entry.data.ok)
          this.#line(
            'yellow',
            `– ${entry.data.interrupted ? 'interrupted' : (entry.data.reason ?? 'the turn failed')}`,
          );
        break;
      case 'agent.thinking':
        if (this.#verbose) this.#line('dim', `  … ${firstLine(entry.data.text)}`);
        break;
      case 'state.changed':
        // A limit or a pause has a notice of its own.
        if (entry.data.detail && !entry.data.until && entry.data.agent_state !== 'limited')
          this.#line('yellow', `  ${entry.data.detail}`);
        break;
      case 'inquiry.opened':
        this.#denials.opened(entry.data.inquiry);
        this.#answers.opened(entry.data);
        break;
      case 'inquiry.answered':
        this.#answered(entry.data);
        break;
      case 'inquiry.closed':
        this.#answers.closed(entry.data);
        break;
      case 'consultation.started':
        this.#line('dim', `    ${asksAnother(entry.data)}`);
        break;
      case 'consultation.ended': {
        const none = noAnswer(entry.data);
        if (none !== undefined) this.#line('yellow', `    ${firstLine(none)}`);
        break;
      }
      case 'event.published':
        this.#line(
          entry.data.accepted ? 'cyan' : 'yellow',
          `  ⇢ ${entry.data.topic}${entry.data.accepted ? '' : ` (dropped: ${whyDropped(entry.data.reason)})`}`,
        );
        break;
      case 'gate.ran':
        this.#gate(entry.data);
        break;
      case 'guidance.given':
        this.#guidance(entry.data);
        break;
      case 'notice':
        this.#notice(entry.data, entry.ts);
        break;
      case 'loop.waiting':
      case 'loop.parked':
      case 'loop.resumed':
      case 'loop.stopping':
      case 'loop.judging':
      case 'loop.limited':
      case 'loop.outage':
      case 'loop.recovered':
      case 'loop.dropped':
      case 'loop.denied':
      case 'loop.stalled':
      case 'loop.garbled': {
        const { level, text, ...facts } = entry.data;
        if (entry.type === 'loop.limited') this.#limit = entry.data.message;
        // As an older build said it: the words are the same.
        const code = entry.type === 'loop.waiting' ? 'loop.wait' : entry.type;
        this.#notice({ level, text, code, facts }, entry.ts);
        break;
      }
      case 'process.stopped':
        this.#stopped(entry.data);
        break;
      case 'iteration.ended':
        this.#iterationEnded(entry.data);
        break;
      case 'session.ended':
        this.#ended(entry);
        break;
    }
  }

  #tool(data: EntryPayload<'tool.called'>): void {
    const { line } = callInWords(data.input);
    this.#calls.set(data.call, data.tool);
    this.#line('dim', `${data.parent ? '    ' : '  '}● ${data.tool}${line ? ` ${line}` : ''}`);
  }

  #returned(data: EntryPayload<'tool.returned'>): void {
    const tool = this.#calls.get(data.call) ?? 'tool';
    this.#calls.delete(data.call);
    if (!data.ok && this.#denials.isDenied(data.call) && !this.#verbose) return;
    if (!data.ok) this.#line('yellow', `    ✗ ${tool}: ${firstLine(data.text)}`);
    else if (this.#verbose) this.#line('dim', `    ${firstLine(data.text)}`);
  }

  #answered(data: EntryPayload<'inquiry.answered'>): void {
    const { verdict, by, reason } = data.answer;
    if (by.kind === 'viewer') return;
    const told = this.#answers.answered(data);
    if (told !== undefined) this.#line('cyan', `    ${firstLine(told)}`);
    if (verdict.kind === 'deny' && this.#denials.answered(data.answer.inquiry) && !this.#verbose) return;
    if (verdict.kind === 'deny')
      this.#line('yellow', `    denied by ${nameOf(by)}${reason ? `: ${firstLine(reason)}` : ''}`);
    else if (this.#verbose && told === undefined) this.#line('dim', `    allowed by ${nameOf(by)}`);
  }

  #stopped(data: EntryPayload<'process.stopped'>): void {
    if (data.left > 0) this.#line('red', `! ${processCount(data.left)} could not be ended`);
    else if (data.why.startsWith('left behind by '))
      this.#line('yellow', `! ended ${processCount(data.processes.length)} ${data.why}`);
    else if (this.#verbose) this.#line('dim', `  ${processCount(data.processes.length)} ended (${data.why})`);
  }

  #iterationStarted(data: EntryPayload<'iteration.started'>): void {
    const of = data.max ? `/${data.max}` : '';
    const again = data.attempt ? ` (attempt ${data.attempt})` : '';
    this.#tokens = '';
    this.#denials.clear();
    this.#loop = true;
    this.#line('dim', `── iteration ${data.iteration}${of}${again}${wearer(data)} · ${data.agent}`);
  }

  #iterationEnded(data: EntryPayload<'iteration.ended'>): void {
    const { outcome, completion } = data;
    const isSaid = outcome === 'completed' || data.reason?.startsWith(outcome) !== false || this.#isLimit(data.reason);
    const why = isSaid ? '' : ` · ${data.reason}`;
    const facts = `${elapsed(data.seconds)}${money(data.cost_usd)}${this.#tokens}`;
    this.#line(outcome === 'completed' ? 'dim' : 'yellow', `── ${outcome} in ${facts}${why}`);
    if (completion && !completion.accepted && completion.reason !== 'not claimed')
      this.#line('yellow', `   not complete: ${completion.reason}`);
  }

  #gate(data: EntryPayload<'gate.ran'>): void {
    this.#line(
      data.ok ? 'green' : 'red',
      `  gate ${data.gate} ${data.ok ? 'passed' : 'failed'} (${elapsed(data.seconds)})`,
    );
    const last = data.tail?.trimEnd().split('\n').at(-1) ?? '';
    if (!data.ok && last !== '') this.#line('dim', `    … ${last}`);
  }

  #guidance(data: EntryPayload<'guidance.given'>): void {
    const words =
      data.delivered_in === undefined ? `: ${data.text}` : ` is in the prompt of iteration ${data.delivered_in}`;
    this.#line('cyan', `  guidance ${data.id}${words}`);
  }

  #notice(data: EntryPayload<'notice'>, ts: string): void {
    if (this.#denials.isKnown(data) && !this.#verbose) return;
    const until = data.code === 'loop.wait' ? Number(data.facts?.until) : Number.NaN;
    if (Number.isFinite(until)) {
      const time = duration((until - Date.parse(ts)) / 1000);
      this.#line('yellow', `  waiting ${time}, until ${clockTime(until, Date.parse(ts))}: ${data.facts?.why}`);
    } else if (data.level === 'error') this.#whole('red', `! ${data.text}`);
    else if (data.code === 'denied') this.#whole('yellow', `! ${data.text}`);
    else if (data.level === 'info') this.#line('dim', `  ${data.text}`);
    else if (this.#isLimit(data.text) && !this.#verbose) return;
    else this.#line('yellow', `! ${data.text}`);
  }

  /** An agent tells its limit in several ways; it is said once, and why is waited. */
  #isLimit(text: string): boolean {
    return this.#limit !== undefined && text.slice(0, SAME_LIMIT) === this.#limit.slice(0, SAME_LIMIT);
  }

  /** Why it stopped, in full, and what to do next. */
  #ended({ data, session, ts }: Entry<'session.ended'>): void {
    const { counts } = data;
    const rounds = this.#loop && counts.iterations !== 1 ? ` · ${counts.iterations} iterations` : '';
    // Behind a second clause `in 4.7s` would belong to that one.
    const sep = rounds === '' && data.reason.includes(';') ? ' · ' : ' in ';
    const time = this.#startedAt ? `${sep}${elapsed((Date.parse(ts) - Date.parse(this.#startedAt)) / 1000)}` : '';
    const facts = `${rounds}${time}${money(counts.cost_usd)}${tokens(counts)}`;
    // `completed: completed in iteration 3` says it twice.
    const why = data.reason.startsWith(data.outcome) ? data.reason : `${data.outcome}: ${data.reason}`;
    this.#whole(data.exit_code === 0 ? 'green' : 'red', `■ ${why}${facts}`);
    if (counts.denied > 0 && !data.reason.includes('nobody was there'))
      this.#line('yellow', `  ${counts.denied} denied because nobody was there to answer`);
    if (!this.#loop || data.exit_code === 0) return;
    const rules = data.outcome === 'denied' ? this.#denials.allowing : undefined;
    const allow = rules === undefined ? undefined : `allow it with --set ${shellWord(`rules.allow=${rules}`)}`;
    this.#whole('dim', `  next: ${nextLine(session, allow ?? data.advice)}`);
  }

  #line(colour: keyof typeof COLOURS, text: string): void {
    const line = harmless(text);
    this.#whole(colour, line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line);
  }

  #whole(colour: keyof typeof COLOURS, text: string): void {
    const line = harmless(text);
    this.#channels.chrome(this.#channels.pretty ? `\x1b[${COLOURS[colour]}m${line}\x1b[0m` : line);
  }
}

/** What to do, and the command that does it: as it stands there it can be typed. */
export function nextLine(session: string, advice = ''): string {
  const flag = / with (--[a-z-]+ \S.*)$/s.exec(advice);
  const words = advice.slice(0, flag?.index).replace('`reins logs`', `\`reins logs ${session}\``);
  return `${words ? `${words}: ` : ''}reins run --continue ${session}${flag ? ` ${flag[1]}` : ''}`;
}

/** `continued with: max_iterations 100 → 200, a new prompt` */
export function changesLine(changes: readonly Change[]): string {
  const words = changes.map(({ what, from, to }) =>
    from === undefined && to === undefined ? what : `${what} ${from ?? 'none'} → ${to ?? 'none'}`,
  );
  return harmless(`continued with: ${words.join(', ')}`);
}

/** The hat, or who wears none and hands the work to one. */
const wearer = ({ hat, coordinator }: EntryPayload<'iteration.started'>): string =>
  hat ? ` · ${hat}` : coordinator ? ' · coordinator' : '';

/** The words are the agent's; behind the topic and `dropped` half of them are said. */
const whyDropped = (reason = ''): string => reason.replace(/^Event \S+ was dropped: /, '').replace(/\.$/, '');

const money = (usd: number | undefined): string => (usd === undefined ? '' : ` · $${usd.toFixed(4)}`);

function tokens(used: { input_tokens?: number | undefined; output_tokens?: number | undefined }): string {
  const { input_tokens: given, output_tokens: said } = used;
  return given === undefined && said === undefined ? '' : ` · ${given ?? 0} in, ${said ?? 0} out`;
}

/** Below ten seconds tenths are worth showing. */
const elapsed = (seconds: number): string => (seconds < 9.95 ? `${seconds.toFixed(1)}s` : duration(seconds));

/** With its day, where that is not the day it is said on. */
function clockTime(at: number, now: number): string {
  const [then, said] = [new Date(at), new Date(now)];
  const time = then.toLocaleTimeString('en-GB');
  if (then.toDateString() === said.toDateString()) return time;
  return `${then.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' })}, ${time}`;
}

const COLOURS = { dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';

/** Assistant text for a terminal or a file: what could steer a terminal is taken out, tabs and newlines stay. */
export function cleanText(text: string): string {
  return text
    .replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?/g, '')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}

/** One line that says what waits, where nobody can be asked on a terminal. */
export function waitingLine(inquiry: Parameters<typeof describeInquiry>[0]): string {
  return harmless(`? ${describeInquiry(inquiry).title}  →  ${answerLines(inquiry).join(' · ')}`);
}
