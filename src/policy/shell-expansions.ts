/**
 * Expansions that give text and do nothing else. Everything else (indirection, subscripts, `@P`, assignment, arithmetic
 * with names in it: evaluating a name there can run what the variable holds) is read, but not judged.
 */

/** Not `$$`: bash reads `"$${x-"` as the beginning of an expansion, the grammar does not. */
const NAME = String.raw`(?:[A-Za-z_]\w*|[0-9]+|[@*#?!-])`;
/** What may stand behind an operator: nothing that a shell expands once more, and no quote (`'` does not quote there). */
const PLAIN = String.raw`[\w ./:,+=%@^~*?-]*`;

const SIMPLE = new RegExp(
  `^\\$\\{(?:#?${NAME}|${NAME}(?::?[-+]${PLAIN}|(?:##?|%%?)${PLAIN}|//?${PLAIN}|\\^\\^?|,,?|: ?-?\\d+(?::-?\\d+)?))\\}$`,
);

/** `$name`, `$1`, `$?`. */
export const isSimpleVariable = (text: string): boolean => new RegExp(`^\\$${NAME}$`).test(text);

/** `${name}`, `${#name}`, `${name:-text}`, `${name##*\/}`, `${name/a/b}`, `${name:0:8}`: text in, text out. */
export const isSimpleExpansion = (text: string): boolean => text.length <= 256 && SIMPLE.test(text);

/** Numbers and operators, no name: `$((1 + 2))`. */
export const isPlainArithmetic = (text: string): boolean =>
  /^\$\(\([\d\s+*/%()-]+\)\)$/.test(text) && !/\d[A-Za-z_]/.test(text);
