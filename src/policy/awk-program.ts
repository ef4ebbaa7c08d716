/**
 * awk's arguments: a program is understood if it computes and prints. What runs or writes is `system`, `getline`, a pipe,
 * `>` behind print, `@`; to tell those from text and from comparisons, the program is read token by token in one pass,
 * and where a token could be two things it is not understood.
 */
import type { Word } from './shell-words.js';
import { tick } from './steps.js';

/** Whether the program among the arguments only computes and prints. */
export function judgeAwk(args: Word[]): boolean {
  for (let at = 0; at < args.length; at += 1) {
    const { text, exact } = args[at]!;
    tick();
    if (!exact) return false;
    if (text === '--') return isPlainProgram(args[at + 1]);
    if (!/^-./.test(text)) return isPlainProgram(args[at]);
    if (/^-[Fv]$/.test(text) || /^--(field-separator|assign)$/.test(text)) at += 1;
    else if (!/^-[Fv]|^--(field-separator|assign)=|^--(version|posix|re-interval)$/.test(text)) return false;
  }
  return true;
}

const TOKEN =
  /[ \t\r]+|\\\n|\n|#[^\n]*|"(?:[^"\\\n]|\\[\s\S])*"|\d[\w.]*|\.\d+|[A-Za-z_]\w*|\|\||&&|>=|<=|==|!=|\+\+|--|[-+*%^]=|[-{}()[\],;!~<>+*%^=?:$.&]/y;
const RUNS = new Set(['system', 'getline', 'extension', 'load', 'include']);
const PRINTS = new Set(['print', 'printf']);
const KEYWORDS = new Set('return in do else while if for delete exit next print printf case switch'.split(' '));
const CONTROLS = new Set(['if', 'while', 'for', 'switch']);

function isPlainProgram(word: Word | undefined): boolean {
  if (!word?.exact) return false;
  const { text } = word;
  let at = 0;
  let before = '\n';
  let printing = false;
  const parens: boolean[] = [];
  while (at < text.length) {
    tick();
    if (text[at] === '/') {
      const end = slash(text, at, before);
      if (end === undefined) return false;
      before = end === at + 1 ? '/' : '/re/';
      at = end;
      continue;
    }
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) return false;
    tick(token.length);
    at += token.length;
    if (/^([ \t\r]|\\\n|#)/.test(token)) continue;
    if (RUNS.has(token)) return false;
    if (PRINTS.has(token)) printing = true;
    // A line may go on behind a comma, so it does not end what is printed.
    if (token === ';' || token === '}') printing = false;
    if (printing && token.startsWith('>')) return false;
    if (token === '(') parens.push(CONTROLS.has(before));
    // Behind `if (…)` a statement begins, so a slash there begins a regular expression.
    before = token === ')' && parens.pop() !== false ? 'if' : token;
  }
  return true;
}

/** Where a regular expression or a division ends; undefined where it could be either. */
function slash(text: string, start: number, before: string): number | undefined {
  // Behind a value it divides.
  if (/^([\w.]+|[)\]]|".*")$/s.test(before) && !KEYWORDS.has(before)) return start + 1;
  if (!/^([\n{}(,;!~]|&&|\|\|)$/.test(before)) return undefined;
  let open = false;
  for (let at = start + 1; at < text.length; at += 1) {
    tick();
    const char = text[at];
    if (char === '\n') return undefined;
    if (char === '/') return open ? undefined : at + 1;
    if (char === '\\') at += 1;
    else if (char === '[') open = true;
    else if (char === ']') open = false;
  }
  return undefined;
}
