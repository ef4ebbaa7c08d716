/**
 * Journal entries folded into what a chat shows: every text once, results with their calls, a sub-agent's doings inside the
 * call that began it, an inquiry where it was asked. Entries are added in their order; an item that changes is replaced, so
 * that who drew it can see that by its identity.
 */
import type { Entry } from '../../contract/index.js';
import { backgroundOf, backgroundSeen, helperOf, isHelper } from './chat-calls.js';
import { lineOf, oneLine } from './chat-lines.js';
import { TodoLists } from './chat-lists.js';
import { placeIn } from './chat-places.js';
import { todosOf } from './chat-todos.js';
import type { ChatInquiry, ChatItem, ChatPrompt, ChatTool, ChatUsage } from './chat-types.js';
import { count } from './words.js';

/** Words of one speaker are one item up to this size: an endless stream must not become one endless node. */
const LONGEST_TEXT = 16 * 1024;
/** What entries about a queued message say of it. */
interface MessageData {
  key: string;
  text?: string;
  by?: string;
  how?: string;
  reason?: string;
}

const DROPPED: Record<string, string> = {
  ended: 'dropped: the session ended before its turn came',
  refused: 'dropped: the agent did not take it',
  unknown: 'nobody can say whether the agent got it',
};

/** What a terminal program's record tells, a moment after it asks. */
const RECORDED = new Set<ChatItem['kind']>(['prompt', 'text', 'thinking', 'tool', 'todo']);

const same = (a: string, b: string): boolean => a.trim().replace(/\r\n?/g, '\n') === b.trim().replace(/\r\n?/g, '\n');

/** May it run, or may its result go to the agent: two things that are asked of one call. */
function about(call: ChatTool, inquiry: ChatInquiry): void {
  if (inquiry.inquiry.kind === 'deliver') call.delivery = inquiry;
  else call.inquiry = inquiry;
}

/** The list inside this call, at whatever depth, that holds the item. */
function around(call: ChatTool, item: ChatItem): ChatItem[] | undefined {
  if (call.inside.includes(item)) return call.inside;
  for (const one of call.inside) {
    const found = one.kind === 'tool' ? around(one, item) : undefined;
    if (found) return found;
  }
  return undefined;
}

export class ChatFold {
  readonly items: ChatItem[] = [];
  usage: ChatUsage = {};
  /** Background work of which no end was seen. */
  background = 0;
  door: string | undefined;
  /** Of messages that are on record. */
  readonly keys = new Set<string>();
  #calls = new Map<string, ChatTool>();
  /** Helpers by their own names, and calls that began one whose name is not known yet. */
  #helpers = new Map<string, ChatTool>();
  #unnamed = new Set<ChatTool>();
  /** Items of helpers that nobody knows yet, by their entries. */
  readonly #early = new Map<number, string>();
  /** For what stands inside another: the outermost, which is what is drawn anew. */
  #roots = new Map<ChatItem, ChatTool>();
  #inquiries = new Map<string, ChatInquiry>();
  /** In the queue of the host. */
  #waiting = new Map<string, { text: string; by: string | undefined }>();
  /** Sent, and not yet seen in the agent's record. */
  #sent: ChatPrompt[] = [];
  #seq = 0;
  readonly #lists = new TodoLists(this.items);
  /** The host counts over all launches: what else is said of it is a part. */
  #isTold = false;

  /** Contract: entries already added are left out. */
  add(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (entry.seq <= this.#seq) continue;
      this.#seq = entry.seq;
      this.#one(entry);
    }
  }

  #one(entry: Entry) {
    const head = { seq: entry.seq, at: entry.ts };
    switch (entry.type) {
      case 'agent.started':
        this.door = entry.data.door;
        return;
      case 'agent.text':
        return this.#text(entry.data, head);
      case 'agent.thinking':
        return this.#push({ kind: 'thinking', ...head, text: entry.data.text }, undefined, entry.data.before);
      case 'tool.called':
        return this.#called(entry.data, head);
      case 'tool.returned':
        return this.#returned(entry.data, head.at);
      case 'prompt.given':
        return this.#given(entry.data, head);
      case 'input.sent':
        return this.#inputSent(entry.data, head);
      case 'guidance.given':
        return this.#guidance(entry.data, head);
      case 'inquiry.opened':
        return this.#opened(entry.data.inquiry, head);
      case 'inquiry.moved': {
        const { inquiry, suggestion: _, ...progress } = entry.data;
        return this.#inquiry(inquiry, { progress });
      }
      case 'inquiry.answered': {
        const { inquiry, verdict, by, reason } = entry.data.answer;
        const kept = entry.data.kept ? { kept: true } : {};
        return this.#inquiry(inquiry, { answer: { verdict, by, at: head.at, ...(reason ? { reason } : {}), ...kept } });
      }
      case 'inquiry.closed': {
        const { inquiry, ...closed } = entry.data;
        return this.#inquiry(inquiry, { closed: { ...closed, at: head.at } });
      }
      case 'process.stopped':
        return this.#push({ kind: 'stopped', ...head, ...entry.data });
      case 'session.ended':
        return this.#ended(entry.data, head);
      default:
        if (entry.type.startsWith('message.')) this.#message(entry.type, entry.data as MessageData, head);
        else this.#line(entry);
    }
  }

  /** A message on its way through the queue: it is a prompt of the chat once it was given to the agent, or never will be. */
  #message(type: string, data: MessageData, head: { seq: number; at: string }) {
    const { key } = data;
    this.keys.add(key);
    const old = this.#waiting.get(key);
    if (type === 'message.queued') this.#waiting.set(key, { text: data.text ?? '', by: data.by ?? old?.by });
    if (!old || (type !== 'message.sent' && type !== 'message.dropped')) return;
    this.#waiting.delete(key);
    if (this.items.some((one) => one.kind === 'prompt' && one.key === key) || data.how === 'cancelled') return;
    const by = old.by === undefined ? {} : { by: old.by };
    const item: ChatPrompt = { kind: 'prompt', ...head, text: old.text, key, tick: 'accepted', ...by };
    if (type === 'message.sent') return this.#accepted(item);
    const why = data.reason ?? DROPPED[data.how ?? ''] ?? 'it was dropped';
    this.#push({ ...item, tick: 'dropped', why });
  }

  #line(entry: Entry) {
    if (entry.type === 'usage.told') {
      this.#isTold = true;
      this.#used(entry.data);
    } else if (!this.#isTold) {
      // Older hosts: of a turn, or of an iteration.
      if (entry.type === 'turn.ended') this.#used({ cost_usd: entry.data.cost_usd });
      if (entry.type === 'state.changed' || entry.type === 'agent.ended') this.#used(entry.data);
    }
    if (entry.type === 'agent.ended') this.#rest();
    const line = lineOf(entry);
    if (!line) return;
    const item = { ...line, seq: entry.seq, at: entry.ts };
    const one = item.kind === 'line' ? oneLine(this.items.at(-1), item) : undefined;
    if (one) this.items[this.items.length - 1] = one;
    else this.#push(item);
  }

  /** `before`: the call it belongs before; words of the agent's own record have their place also without. */
  #push(item: ChatItem, parent?: string, before?: string) {
    const around = this.#around(parent);
    if (!around) {
      this.items.splice(this.#place(item, before), 0, item);
      if (parent !== undefined) this.#early.set(item.seq, parent);
      return;
    }
    around.inside.splice(placeIn(around.inside, { before, at: item.at }), 0, item);
    this.#roots.set(item, this.#roots.get(around) ?? around);
    this.#redraw(around);
  }

  #place({ at, kind }: ChatItem, before: string | undefined): number {
    const recorded = this.door === 'tui' && RECORDED.has(kind) ? { calls: this.#calls } : undefined;
    return placeIn(this.items, { before, at, recorded });
  }

  /** Claude's terminal names the helper, not the call that began it: where only one can be meant, it is that one. */
  #around(parent: string | undefined): ChatTool | undefined {
    if (parent === undefined) return undefined;
    const known = this.#calls.get(parent) ?? this.#helpers.get(parent);
    const [only, ...more] = known ? [] : this.#unnamed;
    if (only && more.length === 0) this.#names(parent, only);
    return known ?? this.#helpers.get(parent);
  }

  #names(helper: string, call: ChatTool) {
    this.#unnamed.delete(call);
    this.#helpers.set(helper, call);
    // What it did before anybody knew whose it is.
    for (const [seq, parent] of this.#early) {
      if (parent !== helper) continue;
      this.#early.delete(seq);
      const at = this.items.findIndex((one) => one.seq === seq);
      for (const item of at < 0 ? [] : this.items.splice(at, 1)) this.#push(item, helper);
    }
  }

  /** The item, or what it stands in, gets another identity. */
  #redraw(item: ChatItem) {
    const root = this.#roots.get(item) ?? item;
    const at = this.items.findLastIndex((one) => one.seq === root.seq && one.kind === root.kind);
    if (at < 0) return;
    this.items[at] = { ...root };
  }

  #text({ text, parent, before }: Entry<'agent.text'>['data'], head: { seq: number; at: string }) {
    const around = this.#around(parent);
    const list = around?.inside ?? this.items;
    const item: ChatItem = { kind: 'text', ...head, text };
    const at = (around ? placeIn(list, { before, at: head.at }) : this.#place(item, before)) - 1;
    const last = list[at];
    if (last?.kind !== 'text' || last.text.length > LONGEST_TEXT) return this.#push(item, parent, before);
    list[at] = { ...last, text: last.text + text };
    if (around) this.#redraw(around);
  }

  #called({ call, tool, input, parent, before }: Entry<'tool.called'>['data'], head: { seq: number; at: string }) {
    if (this.#calls.has(call)) return;
    const item: ChatTool = { kind: 'tool', ...head, call, tool, input, inside: [] };
    const todos = todosOf(tool, input);
    if (todos) {
      this.#lists.kept(item);
      return this.#push({ kind: 'todo', ...head, todos }, parent, before);
    }
    this.#calls.set(call, item);
    if (isHelper(tool)) this.#unnamed.add(item);
    // An agent's hook can be quicker than its record: the inquiry is there already, and the call takes its place.
    const asked = this.items.findLastIndex((one) => one.kind === 'inquiry' && one.inquiry.call === call);
    if (asked < 0) return this.#push(item, parent, before);
    const inquiry = this.items[asked] as ChatInquiry;
    Object.assign(item, { inquiry, seq: inquiry.seq, at: inquiry.at });
    this.items[asked] = item;
  }

  #returned({ call, ok, text, truncated, running }: Entry<'tool.returned'>['data'], at: string) {
    const item = this.#calls.get(call) ?? this.#lists.call(call);
    if (!item) return;
    item.result = { ok, text, cut: truncated === true, at };
    if (this.#lists.returned(item)) {
      if (!ok) this.#calls.set(call, item);
      return;
    }
    const seen = backgroundSeen(item.tool, item.input, text);
    const id = seen ? undefined : (running ?? (ok ? backgroundOf(item.input, text) : undefined));
    if (id !== undefined) {
      item.background = { id, over: false, ...(running === undefined ? {} : { told: true }) };
      this.background += 1;
    }
    const helper = this.#unnamed.has(item) ? helperOf(text) : undefined;
    if (helper !== undefined) this.#names(helper, item);
    if (seen) this.#looked(seen, running);
    this.#redraw(item);
  }

  #looked({ id, over }: { id: string; over: boolean }, running: string | undefined) {
    const told = [...this.#calls.values()].some(({ background }) => background?.id === id && background.told);
    if (over || (told && running === undefined)) this.#rest(id);
  }

  /** Background work is over: the one of this name, or all. */
  #rest(id?: string) {
    for (const item of this.#calls.values()) {
      if (!item.background || item.background.over || (id !== undefined && item.background.id !== id)) continue;
      item.background = { ...item.background, over: true };
      this.background -= 1;
      this.#redraw(item);
    }
  }

  #given(data: Entry<'prompt.given'>['data'] & { key?: string | undefined }, head: { seq: number; at: string }) {
    const { text, truncated, key, before } = data;
    const byKey = this.#sent.findIndex((one) => key !== undefined && one.key === key);
    const at = byKey >= 0 ? byKey : this.#sent.findIndex((one) => same(one.text, text));
    if (at < 0) {
      const whose = this.#waiting.get(key ?? '')?.by;
      const named = { ...(key === undefined ? {} : { key }), ...(whose === undefined ? {} : { by: whose }) };
      if (key !== undefined) this.keys.add(key);
      const cut = truncated ? { cut: true } : {};
      return this.#push({ kind: 'prompt', ...head, text, tick: 'recorded', ...named, ...cut }, undefined, before);
    }
    const [sent] = this.#sent.splice(at, 1);
    this.#tick(sent!, 'recorded');
  }

  #inputSent(data: Entry<'input.sent'>['data'], head: { seq: number; at: string }) {
    const { text, key, verdict, by } = data;
    if (key) this.keys.add(key);
    if (key && this.items.some((one) => one.kind === 'prompt' && one.key === key)) return;
    if (text === undefined || verdict === 'refused' || (by !== 'api' && by !== 'human')) return;
    this.#accepted({ kind: 'prompt', ...head, text, tick: 'accepted', ...(key ? { key } : {}) });
  }

  #accepted(item: ChatPrompt) {
    this.#sent.push(item);
    this.#push(item);
  }

  #tick(sent: ChatPrompt, tick: ChatPrompt['tick']) {
    const at = this.items.findLastIndex((one) => one.seq === sent.seq && one.kind === 'prompt');
    if (at >= 0) this.items[at] = { ...(this.items[at] as ChatPrompt), tick };
  }

  #guidance({ id, text, delivered_in }: Entry<'guidance.given'>['data'], head: { seq: number; at: string }) {
    this.keys.add(id);
    const at = this.items.findLastIndex((one) => one.kind === 'prompt' && one.guidance?.id === id);
    const iteration = delivered_in === undefined ? {} : { iteration: delivered_in };
    const tick = delivered_in === undefined ? 'accepted' : 'recorded';
    const old = this.items[at];
    if (old?.kind === 'prompt') this.items[at] = { ...old, tick, guidance: { id, ...iteration } };
    else this.#push({ kind: 'prompt', ...head, text, tick, guidance: { id, ...iteration } });
  }

  #opened(inquiry: ChatInquiry['inquiry'], head: { seq: number; at: string }) {
    const item: ChatInquiry = { kind: 'inquiry', ...head, id: inquiry.id, inquiry };
    this.#inquiries.set(inquiry.id, item);
    const call = inquiry.call === undefined ? undefined : this.#calls.get(inquiry.call);
    if (!call) return this.#push(item, inquiry.parent);
    about(call, item);
    this.#redraw(call);
  }

  #inquiry(id: string, news: Partial<ChatInquiry>) {
    const old = this.#inquiries.get(id);
    if (!old) return;
    const item = { ...old, ...news };
    this.#inquiries.set(id, item);
    const call = old.inquiry.call === undefined ? undefined : this.#calls.get(old.inquiry.call);
    if (call) {
      about(call, item);
      return this.#redraw(call);
    }
    const root = this.#roots.get(old);
    const list = root ? around(root, old) : this.items;
    const at = list?.indexOf(old) ?? -1;
    if (!list || at < 0) return;
    list[at] = item;
    if (!root) return;
    this.#roots.set(item, root);
    this.#redraw(root);
  }

  #used(told: {
    cost_usd?: number | undefined;
    input_tokens?: number | undefined;
    output_tokens?: number | undefined;
  }) {
    const { cost_usd, input_tokens, output_tokens } = told;
    this.usage = {
      ...this.usage,
      ...(cost_usd === undefined ? {} : { costUsd: cost_usd }),
      ...(input_tokens === undefined ? {} : { inputTokens: input_tokens }),
      ...(output_tokens === undefined ? {} : { outputTokens: output_tokens }),
    };
  }

  #ended(data: Entry<'session.ended'>['data'], head: { seq: number; at: string }) {
    const { counts, outcome, exit_code, reason, advice, changes } = data;
    const words = [
      counts.iterations > 0 ? count(counts.iterations, 'iteration') : '',
      counts.inquiries > 0 ? `${counts.inquiries} asked` : '',
      counts.denied > 0 ? `${counts.denied} denied for want of a person` : '',
      counts.cost_usd === undefined ? '' : `$${counts.cost_usd.toFixed(2)}`,
      changes ? `${count(changes.files, 'file')} +${changes.added} −${changes.removed}` : '',
    ];
    const told = words.filter(Boolean).join(' · ');
    this.#used(counts);
    this.#rest();
    this.#push({
      kind: 'end',
      ...head,
      outcome,
      exitCode: exit_code,
      reason,
      counts: told,
      ...(advice ? { advice } : {}),
    });
  }
}
