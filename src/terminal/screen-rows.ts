/**
 * Rows of the emulator as text: plain (what a person reads), with their colours (`reins screen --ansi`), or as bytes that
 * draw the same cells on another terminal. Each row stands alone: it starts from default colours and takes them back at
 * its end. Links, and the shape and colour of underlines, are read where the emulator keeps them: nothing public tells.
 */
import type { IBuffer, IBufferCell, IBufferLine } from '@xterm/headless';

interface RowRange {
  buffer: IBuffer;
  rows: number;
  /** Lines above the visible screen to include; fewer if there are fewer. */
  scrollback: number;
  /** Where links lead; without it there are none. */
  linkOf?: LinkOf;
}

export interface Hyperlink {
  id?: string | undefined;
  uri: string;
}

type LinkOf = (id: number) => Hyperlink | undefined;

/** What the emulator keeps of a cell beside its colours. */
interface Extended {
  _ext?: number;
  urlId?: number;
}

const extendedOf = (cell: object): Extended => (cell as { extended?: Extended }).extended ?? {};

function firstRow({ buffer, scrollback }: RowRange): number {
  return Math.max(0, buffer.baseY - Math.max(0, scrollback));
}

export function plainRows(range: RowRange): string[] {
  const lines: string[] = [];
  for (let y = firstRow(range); y < range.buffer.baseY + range.rows; y++) {
    lines.push(range.buffer.getLine(y)?.translateToString(true) ?? '');
  }
  return lines;
}

/** Blank cells become spaces: for people and for pipes. */
export function ansiRows(range: RowRange): string[] {
  const lines: string[] = [];
  const cell = range.buffer.getNullCell();
  for (let y = firstRow(range); y < range.buffer.baseY + range.rows; y++) {
    lines.push(styledRow({ line: range.buffer.getLine(y), cell, blanks: 'spaces' }));
  }
  return lines;
}

/**
 * The cells of the normal screen, to be written from the top left of a cleared one: scrollback scrolls away as it did.
 * A line that went on in the next row does so again, so that a later change of width reflows the same.
 */
export function flowingRows(range: RowRange): string {
  const { buffer, rows, linkOf } = range;
  const cell = buffer.getNullCell();
  let text = '';
  for (let y = firstRow(range), end = buffer.baseY + rows; y < end; y++) {
    const line = buffer.getLine(y);
    text += styledRow({ line, cell, blanks: 'moves', linkOf });
    if (y === end - 1) break;
    const next = buffer.getLine(y + 1);
    const flows = next?.isWrapped && isFilled(line?.getCell(line.length - 1, cell)) && isFilled(next.getCell(0, cell));
    if (!flows) text += '\r\n';
  }
  return text;
}

/** The cells of the alternate screen, each row by its number. */
export function placedRows({ buffer, rows, linkOf }: Omit<RowRange, 'scrollback'>): string {
  const cell = buffer.getNullCell();
  let text = '';
  for (let y = 0; y < rows; y++) {
    const row = styledRow({ line: buffer.getLine(buffer.baseY + y), cell, blanks: 'moves', linkOf });
    if (row !== '') text += `\x1b[${y + 1};1H${row}`;
  }
  return text;
}

/** A wide character's second half counts: its first half is the character. */
const isFilled = (cell: IBufferCell | undefined): boolean =>
  cell !== undefined && (cell.getWidth() === 0 || cell.getChars() !== '');

interface RowToDraw {
  line: IBufferLine | undefined;
  cell: IBufferCell;
  blanks: 'spaces' | 'moves';
  linkOf?: LinkOf | undefined;
}

function styledRow({ line, cell, blanks, linkOf }: RowToDraw): string {
  let text = '';
  let style = '';
  let link = '';
  let gap = 0;
  let gapStyle = '';
  const closeGap = (): void => {
    if (gap === 0) return;
    if (gapStyle !== style && (gapStyle !== '' || blanks === 'spaces')) {
      text += gapStyle === '' ? '\x1b[0m' : `\x1b[0;${gapStyle}m`;
      style = gapStyle;
    }
    if (blanks === 'spaces') text += ' '.repeat(gap);
    else text += gapStyle === '' ? `\x1b[${gap}C` : `\x1b[${gap}X\x1b[${gap}C`;
    gap = 0;
  };
  for (let x = 0; line && x < line.length; x++) {
    const here = line.getCell(x, cell);
    if (!here || here.getWidth() === 0) continue;
    const chars = here.getChars();
    const isPlain = here.isAttributeDefault();
    if (chars === '') {
      const wanted = isPlain ? '' : background(here);
      if (wanted !== gapStyle) closeGap();
      gapStyle = wanted;
      gap++;
      continue;
    }
    closeGap();
    const wanted = isPlain ? '' : styleOf(here);
    if (wanted !== style) text += wanted === '' ? '\x1b[0m' : `\x1b[0;${wanted}m`;
    style = wanted;
    const leadsTo = linkOf ? openLink(extendedOf(here).urlId ?? 0, linkOf) : '';
    if (leadsTo !== link) text += leadsTo === '' ? CLOSE_LINK : leadsTo;
    link = leadsTo;
    text += chars;
  }
  if (link !== '') text += CLOSE_LINK;
  if (gapStyle !== '') closeGap();
  return style === '' ? text : `${text}\x1b[0m`;
}

const CLOSE_LINK = '\x1b]8;;\x1b\\';

function openLink(id: number, linkOf: LinkOf): string {
  const link = id === 0 ? undefined : linkOf(id);
  if (!link) return '';
  const safe = (text: string) => text.replace(/[\x00-\x1f\x7f-\x9f]/g, '');
  return `\x1b]8;${link.id ? `id=${safe(link.id).replace(/[;:]/g, '')}` : ''};${safe(link.uri)}\x1b\\`;
}

/** Single, double, curly, dotted, dashed; and its colour, which is not the text's. Nothing where there is none. */
function underline(cell: Pick<IBufferCell, 'isUnderline'>): (number | string)[] {
  const { _ext: packed } = extendedOf(cell);
  // The emulator counts every link as underlined; what was asked for is packed in these bits.
  const shape = packed === undefined ? (cell.isUnderline() ? 1 : 0) : (packed >>> 26) & 7;
  if (shape === 0) return [];
  const colour = (packed ?? 0) & 0x3ffffff;
  const mode = colour & RGB;
  const own = mode === 0 || colour === NO_COLOUR ? [] : [mode === RGB ? `58;2;${rgb(colour)}` : `58;5;${colour & 255}`];
  return [shape === 1 ? 4 : `4:${shape}`, ...own];
}

/** As the emulator packs colours; taken back, it says the last one. */
const RGB = 0x3000000;
const NO_COLOUR = 0x3ffffff;

/** The parameters of the SGR sequence that gives a cell its look; empty for the default. */
export function styleOf(cell: Omit<IBufferCell, 'getWidth' | 'getChars' | 'getCode'>): string {
  const codes: (number | string)[] = [];
  if (cell.isBold()) codes.push(1);
  if (cell.isDim()) codes.push(2);
  if (cell.isItalic()) codes.push(3);
  codes.push(...underline(cell));
  if (cell.isBlink()) codes.push(5);
  if (cell.isInverse()) codes.push(7);
  if (cell.isInvisible()) codes.push(8);
  if (cell.isStrikethrough()) codes.push(9);
  if (cell.isOverline()) codes.push(53);
  const colour = cell.getFgColor();
  if (cell.isFgRGB()) codes.push(`38;2;${rgb(colour)}`);
  else if (cell.isFgPalette()) codes.push(colour < 8 ? 30 + colour : colour < 16 ? 82 + colour : `38;5;${colour}`);
  const behind = background(cell);
  if (behind !== '') codes.push(behind);
  return codes.join(';');
}

function background(cell: Pick<IBufferCell, 'isBgRGB' | 'isBgPalette' | 'getBgColor'>): string {
  const colour = cell.getBgColor();
  if (cell.isBgRGB()) return `48;2;${rgb(colour)}`;
  if (!cell.isBgPalette()) return '';
  return colour < 8 ? `${40 + colour}` : colour < 16 ? `${92 + colour}` : `48;5;${colour}`;
}

const rgb = (colour: number): string => `${(colour >> 16) & 255};${(colour >> 8) & 255};${colour & 255}`;
