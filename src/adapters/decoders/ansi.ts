/**
 * Takes terminal control out of text, with state: a sequence may be cut anywhere. Good for programs that print lines;
 * a full-screen program needs a terminal emulator (words there are placed by cursor moves, not by spaces).
 */
/** An escape string that never ends must not swallow everything after it. */
const LONGEST_SEQUENCE = 4096;

type State = 'text' | 'esc' | 'csi' | 'string' | 'string-esc' | 'charset';

/** Returns a function that takes the next piece and gives what is text in it: printable, tab, CR and LF. */
export function ansiStripper(): (piece: string) => string {
  let state: State = 'text';
  let length = 0;

  const step = (char: string): boolean => {
    const code = char.charCodeAt(0);
    if (state !== 'text' && (code === 0x18 || code === 0x1a || ++length > LONGEST_SEQUENCE)) {
      state = 'text';
      return false;
    }
    switch (state) {
      case 'text':
        if (code === 0x1b) {
          state = 'esc';
          length = 0;
          return false;
        }
        return code === 0x09 || code === 0x0a || code === 0x0d || (code >= 0x20 && (code < 0x7f || code > 0x9f));
      case 'esc':
        if (char === '[') state = 'csi';
        else if (']PX^_'.includes(char)) state = 'string';
        else if (code >= 0x20 && code <= 0x2f) state = 'charset';
        else if (code !== 0x1b) state = 'text';
        return false;
      case 'charset':
        if (code < 0x20 || code > 0x2f) state = 'text';
        return false;
      case 'csi':
        if (code === 0x1b) state = 'esc';
        else if (code >= 0x40 && code <= 0x7e) state = 'text';
        return false;
      case 'string':
        if (code === 0x07) state = 'text';
        else if (code === 0x1b) state = 'string-esc';
        return false;
      case 'string-esc':
        state = char === '\\' ? 'text' : 'string';
        return false;
    }
  };

  return (piece) => {
    let text = '';
    for (const char of piece) if (step(char)) text += char;
    return text;
  };
}
