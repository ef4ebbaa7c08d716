/**
 * How deep a YAML text nests at most, found without recursion and before a parser sees it. A generous bound: brackets
 * and indentation inside comments and texts count too, so only text made to break parsers comes near a limit.
 */
export function nestsDeeperThan(text: string, limit: number): boolean {
  const indents: number[] = [];
  let open = 0;
  let indicators = 0;
  let lineStart = true;
  let column = 0;
  for (const char of text) {
    if (char === '\n') {
      lineStart = true;
      column = 0;
      indicators = 0;
      continue;
    }
    if (lineStart && !' \t-?:'.includes(char)) {
      lineStart = false;
      while (indents.length > 0 && indents.at(-1)! >= column) indents.pop();
      indents.push(column);
    } else if (lineStart && char !== ' ' && char !== '\t') indicators++;
    if (char === '[' || char === '{') open++;
    else if ((char === ']' || char === '}') && open > 0) open--;
    column++;
    if (open + indicators + indents.length > limit) return true;
  }
  return false;
}
