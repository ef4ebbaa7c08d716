/** One question on screen: options, a line for free text, and Submit where several may be chosen. */
import type { PracticeKey } from './keys.js';
import { visible, wrap } from './painter.js';

export const bold = (text: string) => `\x1b[1m${text}\x1b[22m`;
export const dim = (text: string) => `\x1b[2m${text}\x1b[22m`;
export const blue = (text: string) => `\x1b[36m${text}\x1b[39m`;
export const digit = (key: PracticeKey) =>
  key.name === 'text' && 'text' in key && /^[1-9]$/.test(key.text) ? Number(key.text) : 0;

export interface PageQuestion {
  question: string;
  header: string;
  multiSelect: boolean;
  options: { label: string; description?: string }[];
}

export class QuestionPage {
  readonly asked: PageQuestion;
  readonly #ticked = new Set<number>();
  #at = 0;
  #text = '';

  constructor(asked: PageQuestion) {
    this.asked = asked;
  }

  lines(columns: number): string[] {
    const { options, multiSelect } = this.asked;
    const row = (index: number, text: string) => (index === this.#at ? blue(`❯ ${text}`) : `  ${text}`);
    const tick = (index: number) => (multiSelect ? (this.#ticked.has(index) ? '[✔] ' : '[ ] ') : '');
    const free = this.#text === '' ? dim('Type something.') : visible(this.#text).replaceAll('\n', '⏎');
    return [
      ...wrap(visible(this.asked.question), columns),
      '',
      ...options.flatMap((option, index) => [
        row(index, `${index + 1}. ${tick(index)}${visible(option.label)}`),
        ...(option.description ? [dim(`     ${visible(option.description)}`)] : []),
      ]),
      row(options.length, options.length === 0 ? free : `${options.length + 1}. ${tick(options.length)}${free}`),
      ...(multiSelect ? [row(options.length + 1, '   Submit')] : []),
      '',
      dim(
        multiSelect
          ? 'Space to toggle · Enter on Submit · ↑/↓ to navigate · Esc to cancel'
          : 'Enter to select · ↑/↓ to navigate · Esc to cancel',
      ),
    ];
  }

  /** The answer, once there is one. */
  key(key: PracticeKey): string | undefined {
    const { options, multiSelect } = this.asked;
    const free = options.length;
    const last = multiSelect ? free + 1 : free;
    if (key.name === 'up') this.#at = Math.max(0, this.#at - 1);
    else if (key.name === 'down') this.#at = Math.min(last, this.#at + 1);
    else if (key.name === 'tab' && multiSelect) this.#at = last;
    else if (this.#at === free && key.name !== 'enter') this.#edit(key);
    else if (digit(key) > 0) return this.#digit(digit(key) - 1);
    else if (multiSelect && key.name === 'text' && 'text' in key && key.text === ' ') this.#toggle(this.#at);
    else if (key.name === 'enter') return this.#enter(last);
    return undefined;
  }

  #digit(index: number): string | undefined {
    const { options, multiSelect } = this.asked;
    if (index > options.length) return undefined;
    this.#at = index;
    if (index === options.length) return undefined;
    if (!multiSelect) return options[index]!.label;
    this.#toggle(index);
    return undefined;
  }

  #enter(last: number): string | undefined {
    const { options, multiSelect } = this.asked;
    if (multiSelect && this.#at !== last) {
      this.#toggle(this.#at);
      return undefined;
    }
    if (!multiSelect) return this.#at < options.length ? options[this.#at]!.label : this.#text.trim() || undefined;
    const labels = [...this.#ticked].sort((a, b) => a - b).map((index) => options[index]?.label ?? this.#text.trim());
    return labels.filter(Boolean).join(', ') || undefined;
  }

  #toggle(index: number): void {
    if (index > this.asked.options.length) return;
    if (!this.#ticked.delete(index)) this.#ticked.add(index);
  }

  #edit(key: PracticeKey): void {
    if ('text' in key) this.#text += key.text;
    else if (key.name === 'backspace') this.#text = [...this.#text].slice(0, -1).join('');
    else if (key.name === 'ctrl-u') this.#text = '';
    if (this.asked.multiSelect && this.#text !== '') this.#ticked.add(this.asked.options.length);
  }
}
