/** Which of its arguments a program reads or writes, as data: enough to say no, never enough to allow. */
import { HARMLESS } from './programs.js';
import { HOLE, type Word } from './shell-words.js';

interface Below {
  names?: string;
  /** Hidden names are passed over. */
  seen?: true;
}

export interface Touched {
  /** The words that may be files it opens so. */
  words: Word[];
  /** Those that surely are. */
  surely: Set<Word>;
  /** It opens what it is given, so a word that is not known yet is a doubt. */
  opens: boolean;
  /** It goes into folders; `names`: a pattern of what it looks at there. */
  below?: Below;
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/));

/** They see names and never what is in a file. */
const NAMES_ONLY = set(
  `echo printf test [ [[ ls pwd basename dirname realpath readlink which type true false : exit return break continue set cd
   pushd popd chdir mkdir rmdir seq sleep date id whoami uname stat du df find fd fdfind tree touch chmod chown rm unlink mktemp
   kill export unset read alias command wait`,
);
const READERS = set(
  `cat tac head tail less more bat batcat grep egrep fgrep zgrep sed awk gawk mawk nawk gsed sort uniq wc cut tr nl od xxd hexdump strings
   base64 base32 md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum cksum b2sum sum diff cmp comm join paste fold rev
   column jq yq source . rg ag ack`,
);
/** The first word that is no option is a pattern or a program, not a file. */
const PATTERN_FIRST = set('grep egrep fgrep zgrep sed gsed awk gawk mawk nawk jq yq rg ag ack tr');
const COPIES = set('cp mv ln install rsync scp tar zip gzip bzip2 xz zstd dd curl wget openssl gpg 7z');
const GIT_NAMES_ONLY = set(
  'status add ls-files check-ignore check-attr rm mv branch tag stash fetch pull push switch checkout restore reset init clone clean',
);

/** It reads, copies or lists what its words name, and runs none of it. */
export const opensOnly = (name: string): boolean =>
  HARMLESS.has(name) || NAMES_ONLY.has(name) || READERS.has(name) || COPIES.has(name) || ALL.has(name);

const isOption = ({ text }: Word) => text.length > 1 && text.startsWith('-');
const has = (args: Word[], pattern: RegExp) => args.some(({ text }) => pattern.test(text));
const subOf = (args: Word[]) => args.find((word) => !isOption(word))?.text ?? '';

/** Undefined: it reads, or writes, nothing that its words name. */
export function touchedBy(name: string, args: Word[], does: 'read' | 'write'): Touched | undefined {
  return does === 'read' ? readBy(name, args) : writtenBy(name, args);
}

function readBy(name: string, args: Word[]): Touched | undefined {
  if (NAMES_ONLY.has(name) || (name === 'git' && GIT_NAMES_ONLY.has(subOf(args)))) return undefined;
  const reads = READERS.has(name);
  const operands = args.filter((word) => !isOption(word));
  const surely = new Set(reads ? operands.slice(PATTERN_FIRST.has(name) ? 1 : 0) : []);
  const below = goesBelow(name, args);
  // Without a place it looks through the folder it is in.
  const here: Word[] = below && PATTERN_FIRST.has(name) && operands.length < 2 ? [{ text: '.', exact: true }] : [];
  return { words: [...args, ...here], surely, opens: reads || COPIES.has(name), ...(below ? { below } : {}) };
}

function goesBelow(name: string, args: Word[]): Below | undefined {
  const deep = has(args, /^-[a-zA-Z]*[rRa]|^--(recursive|dereference-recursive|archive)/);
  if (/^(rg|ag)$/.test(name)) {
    // A glob of its own (`-g .env`) reaches hidden names too.
    const all =
      has(args, /^-[a-zA-Z]*[uUtgGaz.]|^--(hid|unres|no-|all|glob|iglob|type|pre|search-zip|path)/) ||
      args.some((word) => !word.exact);
    return { ...filterOf(args), ...(all ? {} : { seen: true as const }) };
  }
  if (name === 'ack') return filterOf(args);
  if (/^(e|f|z)?grep$/.test(name))
    return has(args, /^-[a-zA-Z]*[rR]|^--(recursive|dereference-rec)|^(-d|--directories=)recurse/)
      ? filterOf(args)
      : undefined;
  if (/^(zip|7z|mv)$/.test(name)) return {};
  if (name === 'tar') return has(args, /^-?[a-zA-Z]*[cruA]|^--(create|append|update|concatenate)/) ? {} : undefined;
  return /^(cp|scp|rsync|diff|rm|chmod|chown|ln|install)$/.test(name) && deep ? {} : undefined;
}

/** `--include=*.ts`, `-g '*.ts'`: one plain filter narrows what is looked at. */
function filterOf(args: Word[]): { names?: string } {
  const found = args.flatMap(({ text }, at) => {
    const long = /^--(?:include|glob|iglob)=(.*)$/s.exec(text) ?? /^-g(.+)$/s.exec(text);
    if (long) return [long[1]!];
    return /^(-g|--glob|--iglob|--include)$/.test(text) ? [args[at + 1]?.text ?? ''] : [];
  });
  const [only, more] = found;
  return only !== undefined && more === undefined && /^[\w.*?/@+{},-]+$/.test(only) && !only.startsWith('!')
    ? { names: only }
    : {};
}

/** Every word of these is written. */
const ALL = set('tee touch rm rmdir unlink truncate shred chmod chown chgrp mkdir mkfifo sponge mv');
/** The last word of these, or the folder they are told. */
const LAST = set('cp install ln rsync scp');
/** They write where their options say, or what they find. */
const SOMEWHERE = set('patch tar unzip cpio curl wget ed ex vim vi nvim nano zip 7z split csplit');
const IN_PLACE = set('sed gsed perl ruby');
const GIT_WRITES = set('checkout restore mv rm checkout-index read-tree clean apply');

function writtenBy(name: string, args: Word[]): Touched | undefined {
  const operands = args.filter((word) => !isOption(word));
  const below = goesBelow(name, args);
  const all = (words: Word[]): Touched => ({ words, surely: new Set(words), opens: true, ...(below ? { below } : {}) });
  if (name === 'mv' || LAST.has(name)) {
    const written = name === 'mv' ? operands : operands.slice(-1);
    const folders = told(args);
    const into = folders.length > 0 ? folders : operands.slice(-1);
    return all([...written, ...folders, ...into.flatMap((folder) => inside(folder, operands))]);
  }
  if (ALL.has(name)) return all(operands);
  if (name === 'dd')
    return all(args.flatMap((word) => (word.text.startsWith('of=') ? [{ ...word, text: word.text.slice(3) }] : [])));
  if (IN_PLACE.has(name)) return has(args, /^-[a-zA-Z]*i|^--in-place/) ? all(operands) : undefined;
  if (name === 'git') return GIT_WRITES.has(subOf(args)) ? all(operands.slice(1)) : undefined;
  return SOMEWHERE.has(name) ? { words: args, surely: new Set(), opens: false } : undefined;
}

/** `-t DIR`, `-tDIR`, `--target-directory=DIR`. */
function told(args: Word[]): Word[] {
  return args.flatMap((word, at) => {
    const glued = /^(?:-[a-zA-Z]*t(?=.)|--target-directory=)(.+)$/s.exec(word.text)?.[1];
    if (glued !== undefined && !/^--target-directory$/.test(word.text)) return [{ ...word, text: glued }];
    return /^(-[a-zA-Z]*t|--target-directory)$/.test(word.text) && args[at + 1] ? [args[at + 1]!] : [];
  });
}

/** Where something new comes to lie: a file in a folder under its own name, or files whose names nobody can say. */
export interface Landing {
  folder: Word;
  name?: string;
}

/** What a program puts into a folder that it was told; for rules that allow, so what cannot be said is `name`less. */
export function landsOn(name: string, args: Word[]): Landing[] {
  const [sub, ...rest] = args.filter((word) => !isOption(word));
  if (name === 'git' && sub?.text === 'mv') return intoLast(args.slice(args.indexOf(sub) + 1), true);
  const here: Word = { text: '.', exact: true };
  // Without a folder of its own, a clone is called after what is cloned.
  if (name === 'git' && sub?.text === 'clone')
    return rest.map((word) => ({ folder: here, name: lastName(word.text).replace(/\.git$/, '') }));
  if (name === 'wget') return args.map((word) => ({ folder: here, name: lastName(word.text) }));
  const deep = name === 'rsync' || goesBelow(name, args) !== undefined;
  return LAST.has(name) || name === 'mv' ? intoLast(args, deep) : [];
}

function intoLast(args: Word[], deep: boolean): Landing[] {
  const operands = args.filter((word) => !isOption(word));
  const folders = told(args);
  const into = folders.length > 0 ? folders : operands.slice(-1);
  return into.flatMap((folder) =>
    operands.flatMap((file): Landing[] => {
      if (file === folder) return [];
      const last = file.text.split('/').at(-1)!;
      const many = /^\.{0,2}$/.test(last) ? deep : !file.exact && /[*?[{]/.test(last);
      return [many ? { folder } : { folder, name: lastName(file.text) }];
    }),
  );
}

const lastName = (text: string) => text.replace(/\/+$/, '').split('/').at(-1)!;

/** What lies in a folder once the files were put there, under their own names. */
const inside = (folder: Word, files: Word[]): Word[] =>
  files.flatMap((file) => {
    const last = lastName(file.text);
    if (file === folder || last === '' || last.includes(HOLE)) return [];
    return [{ ...folder, text: `${folder.text.replace(/\/+$/, '')}/${last}`, exact: folder.exact && file.exact }];
  });
