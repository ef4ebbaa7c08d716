/** Where lists of what is to do stand in a chat. Of several only the newest is how things are; the others say that they are old. */

import { isListedByThing, TodoThings } from './chat-todos.js';
import type { ChatItem, ChatTool } from './chat-types.js';

export class TodoLists {
  /** The chat's own, which this changes. */
  readonly #items: ChatItem[];
  readonly #things = new TodoThings();
  /** Calls that are shown as the list they hold, unless they fail. */
  readonly #whole = new Map<string, ChatTool>();

  constructor(items: ChatItem[]) {
    this.#items = items;
  }

  /** A call that holds a whole list is about to be shown as that. */
  kept(call: ChatTool): void {
    this.#whole.set(call.call, call);
    this.#outdate(true);
  }

  call(id: string): ChatTool | undefined {
    return this.#whole.get(id);
  }

  /** True: it was shown as a list, and there is nothing else to say of it. */
  returned(call: ChatTool): boolean {
    const ok = call.result?.ok === true;
    if (this.#whole.delete(call.call)) {
      if (!ok) this.#isNone(call);
      return true;
    }
    if (ok && isListedByThing(call.tool)) this.#changed(call);
    return false;
  }

  #outdate(old: boolean): void {
    const at = this.#items.findLastIndex((one) => one.kind === 'todo');
    const list = this.#items[at];
    if (list?.kind === 'todo') this.#items[at] = { ...list, old };
  }

  /** The agent has no such list after all: the call stands there, with what became of it. */
  #isNone(call: ChatTool): void {
    const at = this.#items.findIndex((one) => one.kind === 'todo' && one.seq === call.seq);
    if (at < 0) return;
    this.#items.splice(at, 1);
    this.#outdate(false);
    this.#items.splice(at, 0, call);
  }

  /** A call that changes one thing of a list becomes the list, or goes into the one right above it. */
  #changed(call: ChatTool): void {
    const at = this.#items.findLastIndex((one) => one.kind === 'tool' && one.seq === call.seq);
    const todos = at < 0 ? undefined : this.#things.after(call.tool, call.input, call.result?.text ?? '');
    if (!todos) return;
    // What a person decided about stays to be seen.
    const isDecided = call.inquiry?.answer?.by.kind === 'viewer';
    const above = this.#items.findLastIndex((one, n) => n < at && !(one.kind === 'tool' && isListedByThing(one.tool)));
    const list = this.#items[above];
    if (list?.kind === 'todo' && !list.old) {
      this.#items[above] = { ...list, todos };
      if (!isDecided) this.#items.splice(at, 1);
      return;
    }
    this.#outdate(true);
    const { seq, at: when } = call;
    this.#items.splice(at, isDecided ? 0 : 1, { kind: 'todo', seq, at: when, todos });
  }
}
