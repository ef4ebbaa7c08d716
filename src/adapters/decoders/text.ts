/**
 * For agents that print plain text: everything they print counts as the assistant's words, without colours and without
 * what a carriage return overwrote (spinners, progress bars). Whole lines only, so that a mark split over two reads is
 * never missed. There is no `done` here: the exit code decides later (`successOf`).
 */
import type { AgentOutput, Decoder } from '../../contract/index.js';
import { lineStripper } from '../../vt/strip.js';

/** A line this long is passed on as it is, in UTF-16 units: nobody redraws that much. */
const LONGEST_HELD = 64 * 1024;

/** `strip` takes terminal control out of the next piece of text; a good one may be passed in, a plain one is built in. */
export function text({ strip = lineStripper() }: { strip?: (piece: string) => string } = {}): Decoder {
  const utf8 = new TextDecoder();
  let line = '';
  let returned = false;

  const take = (piece: string): string => {
    let ready = '';
    for (const char of piece) {
      if (char === '\r') returned = true;
      else if (char === '\n') {
        ready += `${line}\n`;
        line = '';
        returned = false;
      } else {
        if (returned) line = '';
        returned = false;
        line += char;
        if (line.length >= LONGEST_HELD) {
          ready += line;
          line = '';
        }
      }
    }
    return ready;
  };
  const said = (words: string): AgentOutput[] => (words === '' ? [] : [{ kind: 'text', text: words }]);

  return {
    feed: (chunk) => said(take(strip(utf8.decode(chunk, { stream: true })))),
    end() {
      const rest = take(strip(utf8.decode())) + line;
      line = '';
      return said(rest === '' || rest.endsWith('\n') ? rest : `${rest}\n`);
    },
  };
}
