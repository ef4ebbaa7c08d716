/** Cutting text to a number of bytes without breaking a character, and dividing bytes fairly. */

const utf8 = new TextEncoder();
const ELLIPSIS = '…';
const ELLIPSIS_BYTES = 3;

export const sizeOf = (text: string): number => utf8.encode(text).length;

/** The beginning of the text, at most so many bytes, with an ellipsis where it was cut. */
export function cutEnd(text: string, bytes: number): string {
  if (sizeOf(text) <= bytes) return text;
  return bytes < ELLIPSIS_BYTES ? '' : `${head(text, bytes - ELLIPSIS_BYTES)}${ELLIPSIS}`;
}

/** The end of the text, at most so many bytes, with an ellipsis where it was cut. */
export function cutStart(text: string, bytes: number): string {
  if (sizeOf(text) <= bytes) return text;
  if (bytes < ELLIPSIS_BYTES) return '';
  let left = bytes - ELLIPSIS_BYTES;
  let from = text.length;
  // A character is at most four bytes, so only the end of a long text is looked at.
  for (const char of [...text.slice(-bytes)].reverse()) {
    left -= sizeOf(char);
    if (left < 0) break;
    from -= char.length;
  }
  return `${ELLIPSIS}${text.slice(from)}`;
}

function head(text: string, bytes: number): string {
  let left = bytes;
  let to = 0;
  for (const char of text) {
    left -= sizeOf(char);
    if (left < 0) break;
    to += char.length;
  }
  return text.slice(0, to);
}

/** How many of the bytes each size gets: small ones are served whole, large ones share the rest equally. */
export function share(sizes: number[], bytes: number): number[] {
  const given = sizes.map(() => 0);
  let left = bytes;
  const order = sizes.map((size, index) => ({ size, index })).sort((a, b) => a.size - b.size);
  order.forEach(({ size, index }, done) => {
    const part = Math.min(size, Math.floor(left / (order.length - done)));
    given[index] = part;
    left -= part;
  });
  return given;
}
