/**
 * The journal as a run shows it: the assistant's text on stdout, everything else as short lines of chrome on stderr; or
 * each entry as one JSON line. Text from the agent is made harmless before it stands in a line of ours.
 */
import type { Entry, EntryPayload } from '../contract/index.js';
import type { Channels } from './channels.js';
import { callInWords, describeInquiry } from './describe.js';
import { duration, harmless } from './table.js';

const LONGEST_LINE = 160;

export interface RenderOptions {
  /** Show what the agent thinks and what its tools returned. */
  verbose?: boolean;
}

export class Renderer {
  readonly #channels: Channels;
  readonly #verbose: boolean;
  #calls = new Map<string, string>();

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
      case 'iteration.started':
        this.#line(
          'dim',
          `── iteration ${entry.data.iteration}${entry.data.max ? `/${entry.data.max}` : ''} · ${entry.data.agent}${entry.data.hat ? ` · ${entry.data.hat}` : ''}`,
        );
        break;
      case 'tool.called':
        this.#tool(entry.data);
        break;
      case 'tool.returned':
        this.#returned(entry.data);
        break;
      case 'agent.thinking':
        if (this.#verbose) this.#line('dim', `  … ${firstLine(entry.data.text)}`);
        break;
      case 'state.changed':
        if (entry.data.detail) this.#line('yellow', `  ${entry.data.detail}`);
        break;
      case 'inquiry.opened':
        break;
      case 'inquiry.answered':
        this.#answered(entry.data);
        break;
      case 'event.published':
        this.#line(
          entry.data.accepted ? 'cyan' : 'yellow',
          `  ⇢ ${entry.data.topic}${entry.data.accepted ? '' : ` (dropped: ${entry.data.reason})`}`,
        );
        break;
      case 'gate.ran':
        this.#line(
          entry.data.ok ? 'green' : 'red',
          `  gate ${entry.data.gate} ${entry.data.ok ? 'passed' : 'failed'} (${duration(entry.data.seconds)})`,
        );
        break;
      case 'notice':
        this.#line(
          entry.data.level === 'info' ? 'dim' : entry.data.level === 'warn' ? 'yellow' : 'red',
          `! ${entry.data.text}`,
        );
        break;
      case 'process.stopped':
        this.#stopped(entry.data);
        break;
      case 'iteration.ended':
        this.#iterationEnded(entry.data);
        break;
      case 'session.ended':
        this.#ended(entry.data);
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
    if (!data.ok) this.#line('yellow', `    ✗ ${tool}: ${firstLine(data.text)}`);
    else if (this.#verbose) this.#line('dim', `    ${firstLine(data.text)}`);
  }

  #answered(data: EntryPayload<'inquiry.answered'>): void {
    const { verdict, by, reason } = data.answer;
    if (by.kind === 'viewer') return;
    if (verdict.kind === 'deny')
      this.#line('yellow', `    denied by ${whoOf(data)}${reason ? `: ${firstLine(reason)}` : ''}`);
    else if (this.#verbose) this.#line('dim', `    allowed by ${whoOf(data)}`);
  }

  #stopped(data: EntryPayload<'process.stopped'>): void {
    if (data.left > 0) this.#line('red', `! ${data.left} processes could not be ended`);
    else if (data.why === 'left behind by the agent')
      this.#line('yellow', `! ${data.processes.length} processes left behind by the agent were ended`);
    else if (this.#verbose) this.#line('dim', `  ${data.processes.length} processes ended (${data.why})`);
  }

  #iterationEnded(data: EntryPayload<'iteration.ended'>): void {
    const cost = data.cost_usd === undefined ? '' : ` · $${data.cost_usd.toFixed(4)}`;
    const why = data.outcome === 'completed' ? '' : ` · ${data.reason ?? data.outcome}`;
    this.#line(
      data.outcome === 'completed' ? 'dim' : 'yellow',
      `── ${data.outcome} in ${duration(data.seconds)}${cost}${why}`,
    );
    if (data.completion?.claimed && !data.completion.accepted)
      this.#line('yellow', `   not complete: ${data.completion.reason}`);
  }

  #ended(data: EntryPayload<'session.ended'>): void {
    const { counts } = data;
    const cost = counts.cost_usd === undefined ? '' : ` · $${counts.cost_usd.toFixed(4)}`;
    this.#line(data.exit_code === 0 ? 'green' : 'red', `■ ${data.outcome}: ${data.reason}${cost}`);
    if (counts.denied > 0) this.#line('yellow', `  ${counts.denied} denied because nobody was there to answer`);
  }

  #line(colour: keyof typeof COLOURS, text: string): void {
    const line = harmless(text);
    const short = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line;
    this.#channels.chrome(this.#channels.pretty ? `\x1b[${COLOURS[colour]}m${short}\x1b[0m` : short);
  }
}

const COLOURS = { dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';

function whoOf(data: EntryPayload<'inquiry.answered'>): string {
  const { by } = data.answer;
  if ('rule' in by) return `${by.rule.text} (${by.rule.source})`;
  return by.kind === 'consultant' ? `the consultant ${by.adapter}` : by.kind;
}

/** Assistant text for a terminal or a file: what could steer a terminal is taken out, tabs and newlines stay. */
export function cleanText(text: string): string {
  return text
    .replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?/g, '')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}

/** One line that says what waits, where nobody can be asked on a terminal. */
export function waitingLine(inquiry: Parameters<typeof describeInquiry>[0]): string {
  const answer = inquiry.kind === 'question' ? 'VALUE' : 'allow|deny';
  return harmless(`? ${describeInquiry(inquiry).title}  →  reins answer ${inquiry.id} ${answer}`);
}
