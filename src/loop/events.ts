/**
 * Finds events in the assistant's own text:
 *   <event topic="build.done">tests pass</event>   <event topic='review.wanted' note="ignored"/>
 * Only outside code fences and inline code, so showing a tag is not publishing it. An opening tag inside a payload means
 * the one before was never closed: it is forgotten, and like every tag that was meant and cannot count it is a mistake
 * that the agent should hear of. Contract: never throws, and how the text is cut into chunks changes
 * nothing; an event comes out once its line is complete, the last one by `end`.
 */
import { codeSpans, type Line, LineReader } from './lines.js';

/** In bytes of UTF-8: a payload is a message for the next prompt, not a file. The rest is cut, the event still counts. */
export const LONGEST_PAYLOAD = 64 * 1024;
const LONGEST_TOPIC = 200;

export interface ParsedEvent {
  topic: string;
  payload: string;
  truncated?: boolean;
}

/** Mistakes of one kind tell enough. */
const MOST_MISTAKES = 3;
const MOST_LOOKED_AT = 100;
const LONGEST_SHOWN = 80;

const TAG = /<event((?:\s+[\w:.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'))?)*)\s*(\/?)>|<\/event\s*>/g;
/** Meant as an opening tag, whatever it is. Tags that are right are taken out first. */
const ALMOST = /<(?:event(?=[\s/>]|$)|\s+event\s+topic)[^<>]*>?/gi;
const ATTRIBUTE = /([\w:.-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g;

export class EventParser {
  readonly #lines = new LineReader();
  readonly #mistakes = new Set<string>();
  #open: { topic: string; payload: string; truncated: boolean } | undefined;

  /** Tags that were meant as events and cannot count, in words; empty for most. */
  get mistakes(): string[] {
    return [...this.#mistakes];
  }

  feed(text: string): ParsedEvent[] {
    return this.#lines.feed(text).flatMap((line) => this.#line(line));
  }

  /** The end of the iteration's text: the last line counts even without a line break. */
  end(): ParsedEvent[] {
    const events = this.#lines.end().flatMap((line) => this.#line(line));
    this.#forget();
    return events;
  }

  #line(line: Line): ParsedEvent[] {
    const found: ParsedEvent[] = [];
    const spans = line.fenced ? [] : codeSpans(line.text);
    const code = (at: number) => spans.some(([start, end]) => start <= at && at < end);
    let span = 0;
    let from = 0;
    for (const tag of line.fenced ? [] : line.text.matchAll(TAG)) {
      while ((spans[span]?.[1] ?? Number.POSITIVE_INFINITY) <= tag.index) span++;
      if ((spans[span]?.[0] ?? Number.POSITIVE_INFINITY) <= tag.index) continue;
      if (tag[1] === undefined) {
        this.#collect(line.text.slice(from, tag.index));
        if (this.#open) found.push(close(this.#open));
        this.#open = undefined;
      } else {
        const topic = topicOf(tag[1]);
        this.#forget();
        if (topic === undefined) this.#mistake(`${shown(tag[0])} has no topic`);
        else if (topic.length > LONGEST_TOPIC) this.#mistake(`its topic is longer than ${LONGEST_TOPIC} characters`);
        else if (tag[2] === '/') found.push({ topic, payload: '' });
        else this.#open = { topic, payload: '', truncated: false };
      }
      from = tag.index + tag[0].length;
    }
    if (!line.fenced && line.text.includes('<')) {
      const rest = line.text.replace(TAG, (tag) => ' '.repeat(tag.length));
      for (const tag of [...rest.matchAll(ALMOST)].slice(0, MOST_LOOKED_AT)) {
        if (!code(tag.index)) this.#mistake(`${shown(tag[0])} is no event tag`);
      }
    }
    this.#collect(line.text.slice(from));
    if (line.whole) this.#collect('\n');
    return found;
  }

  #forget(): void {
    if (this.#open) this.#mistake(`<event topic="${this.#open.topic}"> was never closed with </event>`);
    this.#open = undefined;
  }

  #mistake(text: string): void {
    if (this.#mistakes.size < MOST_MISTAKES) this.#mistakes.add(text);
  }

  #collect(text: string): void {
    if (!this.#open || this.#open.truncated) return;
    this.#open.payload += text;
    // Bytes are counted once, at the close; here characters are enough, as a character is at least a byte.
    if (this.#open.payload.length > 2 * LONGEST_PAYLOAD) this.#open.truncated = true;
  }
}

/** Every event of a whole text. */
export function parseEvents(text: string): ParsedEvent[] {
  const parser = new EventParser();
  return [...parser.feed(text), ...parser.end()];
}

function close(open: { topic: string; payload: string; truncated: boolean }): ParsedEvent {
  const { payload, truncated } = cutPayload(decode(open.payload).trim());
  return { topic: open.topic, payload, ...(truncated || open.truncated ? { truncated: true } : {}) };
}

/** What an event may bring along, whoever publishes it. */
export function cutPayload(payload: string): { payload: string; truncated: boolean } {
  const bytes = new TextEncoder().encode(payload);
  if (bytes.length <= LONGEST_PAYLOAD) return { payload, truncated: false };
  const cut = new TextDecoder().decode(bytes.subarray(0, LONGEST_PAYLOAD)).replace(/\uFFFD+$/, '');
  return { payload: cut, truncated: true };
}

function topicOf(attributes: string): string | undefined {
  for (const [, name, double, single] of attributes.matchAll(ATTRIBUTE)) {
    const topic = name === 'topic' ? decode(double ?? single ?? '').trim() : '';
    if (topic !== '') return topic;
  }
  return undefined;
}

const shown = (tag: string): string => {
  const line = tag.trim();
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
};

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const decode = (text: string): string => text.replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => ENTITIES[name]!);
