/**
 * Whether a text speaks of something, by whole words. Whoever wrote the text may not want it seen: letters that only look
 * alike, invisible ones, other widths and marks are read as what a person would see. Never a part of an innocent word.
 */

import { type Saying, sayingsOf } from './same-meaning.js';

/** Letters of other alphabets that look like a Latin one, folded to it; on both sides, so other languages still match. */
const LOOKS_LIKE: Record<string, string> = Object.fromEntries(
  [
    ['a', 'аαɑᴀꭺ'],
    ['b', 'ЬьвʙƄᏼ'],
    ['c', 'сϲᴄⅽꮯ'],
    ['d', 'ԁɗժⅾᴅꭰ'],
    ['e', 'еєεҽᴇꭼ'],
    ['f', 'ꜰϝ'],
    ['g', 'ɡցɢ'],
    ['h', 'һհнʜꮋ'],
    ['i', 'іιıɩɪⅰ'],
    ['j', 'јϳ'],
    ['k', 'кκᴋ'],
    ['l', 'ӏⅼʟꮮ'],
    ['m', 'мⅿᴍ'],
    ['n', 'пոռɴη'],
    ['o', 'оοօσᴏ'],
    ['p', 'рρᴘꮲ'],
    ['q', 'ԛգ'],
    ['r', 'гʀ'],
    ['s', 'ѕꜱʂ'],
    ['t', 'тτᴛꭲ'],
    ['u', 'υսᴜ'],
    ['v', 'ѵνᴠ'],
    ['w', 'ԝωᴡ'],
    ['x', 'хχ'],
    ['y', 'уγүʏ'],
    ['z', 'ᴢʐ'],
    ['ss', 'ß'],
  ].flatMap(([latin, others]) => Array.from(others!, (other) => [other, latin!])),
);

/** Written with digits in the place of letters; a `1` may be either of two. */
const DIGITS: Record<string, string> = { '0': 'o', '1': 'l', '3': 'e', '4': 'a', '5': 's', '7': 't' };

/** Forms that no ending makes. */
const IRREGULAR: Record<string, string[]> = {
  pay: ['paid'],
  buy: ['bought'],
  sell: ['sold'],
  send: ['sent'],
  spend: ['spent'],
  licence: ['license'],
  license: ['licence'],
  overwrite: ['overwritten', 'overwrote'],
};

const ENDINGS = ['s', 'es', 'ed', 'd', 'ing', 'er', 'ers', 'or', 'ors', 'ion', 'ions', 'ment', 'ments', 'able'];
const WITHOUT_E = ['es', 'ed', 'ing', 'er', 'ers', 'or', 'ors', 'ion', 'ions', 'able'];

/** Scripts that write without gaps: there a word cannot be told from its neighbours. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** Letters in a box or a circle, and those that flags are made of: signs to Unicode, letters to a reader. */
const BOXED = [0x1f150, 0x1f170, 0x1f1e6].map((first) => ({ first, last: first + 25 }));

const unboxed = (char: string): string => {
  const code = char.codePointAt(0)!;
  const range = BOXED.find(({ first, last }) => code >= first && code <= last);
  return range ? String.fromCharCode(97 + code - range.first) : char;
};

/** As a person would read it: no invisible signs, no marks, one width, small letters. Gaps between humps are kept. */
export function fold(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase();
  return Array.from(plain, (char) => LOOKS_LIKE[char] ?? unboxed(char)).join('');
}

/** Longer than any word of a list; what is joined beyond is no word. */
const LONGEST_WORD = 64;

/** The words of a folded text; one that was spelled out (`d e l e t e`) or cut up (`de*lete`) counts as a word too. */
export function wordsOf(folded: string): string[] {
  const words = folded.match(/[\p{L}\p{N}]+/gu) ?? [];
  const spelled: string[] = [];
  let run = '';
  for (const word of [...words, '']) {
    if (Array.from(word).length === 1) run += word;
    else {
      if (run.length > 2) spelled.push(run);
      run = '';
    }
  }
  const joined = folded
    .split(/\s+/u)
    .map((chunk) => chunk.replace(/[^\p{L}\p{N}]+/gu, ''))
    .filter((chunk) => chunk.length <= LONGEST_WORD);
  // The last of one list does not stand beside the first of the next.
  return [...words.flatMap(readings), '', ...spelled, '', ...joined.flatMap(readings)];
}

function readings(word: string): string[] {
  if (!/\p{N}/u.test(word) || !/\p{L}/u.test(word)) return [word];
  const read = Array.from(word, (char) => DIGITS[char] ?? char).join('');
  return [
    word,
    read,
    Array.from(word, (char) => (char === '1' ? 'i' : (DIGITS[char] ?? char))).join(''),
    word.replace(/\p{N}+/gu, ''),
  ];
}

/** Alphabets that have letters like ours; those that are written beside ours without a gap are not among them. */
const OTHER =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\p{Script=Deseret}\p{Script=Osage}]/u;

/** Why a text may say something else than it seems to, to one of its readers. */
export function disguise(texts: readonly string[]): string | undefined {
  if (texts.some((text) => /[\u202d\u202e]/.test(text))) return 'characters that reorder what is read';
  const mixed = texts.some((text) =>
    (text.normalize('NFKC').match(/\p{L}{3,}/gu) ?? []).some(
      (word) => /\p{Script=Latin}/u.test(word) && OTHER.test(word),
    ),
  );
  return mixed ? 'a word in letters of several alphabets' : undefined;
}

/** Every form of a word of the list: `delete`, `deletes`, `deleted`, `deleting`, `deletion`, `undelete`, `redeploy`. */
function formsOf(word: string): Set<string> {
  const singular = /[^s]s$/.test(word) ? [word.slice(0, -1)] : [];
  const bases = [word, ...singular, ...(Object.hasOwn(IRREGULAR, word) ? IRREGULAR[word]! : [])];
  const forms = bases.flatMap((base) => {
    const stem = base.slice(0, -1);
    const last = base.at(-1)!;
    return [
      base,
      ...ENDINGS.map((ending) => base + ending),
      ...(last === 'e' ? WITHOUT_E.map((ending) => stem + ending) : []),
      ...(/[^aeiou]y$/.test(base) ? ['ies', 'ied'].map((ending) => stem + ending) : []),
      ...(/[^aeiou][aeiou][^aeiouwxy]$/.test(base) ? ['ed', 'ing', 'er'].map((ending) => base + last + ending) : []),
    ];
  });
  return new Set(forms.flatMap((form) => [form, `re${form}`, `un${form}`]));
}

/** The same in other words and languages, so that a long text is gone through once. */
interface Others {
  /** Words that stand alone. */
  whole: Set<string>;
  /** By their first letter. */
  beginnings: Map<string, string[]>;
  /** Of scripts without gaps: anywhere. */
  anywhere: string[];
  several: ((word: string) => boolean)[][];
}

const others = new Map<string, Others>();

function othersOf(entry: string): Others {
  const known = others.get(entry);
  if (known) return known;
  const made: Others = { whole: new Set(), beginnings: new Map(), anywhere: [], several: [] };
  for (const saying of sayingsOf(entry, fold)) {
    const [{ text, as }] = saying as [Saying[number]];
    if (saying.length > 1) made.several.push(saying.map(fitsWord));
    else if (UNSPACED.test(text)) made.anywhere.push(text);
    else if (as === 'beginning') made.beginnings.set(text[0]!, [...(made.beginnings.get(text[0]!) ?? []), text]);
    else for (const form of as === 'whole' ? [text] : formsOf(text)) made.whole.add(form);
  }
  others.set(entry, made);
  return made;
}

function fitsWord({ text, as }: Saying[number]): (word: string) => boolean {
  if (as === 'beginning') return (word) => word.startsWith(text);
  const forms = as === 'whole' ? new Set([text]) : formsOf(text);
  return (word) => forms.has(word);
}

function saysOtherwise({ whole, beginnings, several }: Others, words: readonly string[]): boolean {
  return words.some(
    (word, at) =>
      whole.has(word) ||
      beginnings.get(word[0] ?? '')?.some((beginning) => word.startsWith(beginning)) ||
      several.some((saying) =>
        saying.every((fits, place) => words[at + place] !== undefined && fits(words[at + place]!)),
      ),
  );
}

/** Which entry of the list a text speaks of; entries may be several words. */
export function speaksOf(texts: readonly string[], list: readonly string[]): string | undefined {
  const folded = texts.map(fold);
  const spoken = folded.map(wordsOf);
  return list.find((entry) => {
    const wanted = fold(entry).trim();
    if (wanted === '') return false;
    if (UNSPACED.test(wanted)) return folded.some((text) => text.includes(wanted));
    const forms = (wanted.match(/[\p{L}\p{N}]+/gu) ?? []).map(formsOf);
    if (forms.length === 0) return folded.some((text) => text.includes(wanted));
    const others = othersOf(wanted);
    if (others.anywhere.some((one) => folded.some((text) => text.includes(one)))) return true;
    return spoken.some(
      (words) =>
        words.some((_, at) =>
          forms.every((form, place) => words[at + place] !== undefined && form.has(words[at + place]!)),
        ) || saysOtherwise(others, words),
    );
  });
}
