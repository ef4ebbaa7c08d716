import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ScreenDialog, Tui } from '../../adapters/index.js';
import { HandClock, type InquiryId, type ScreenShot } from '../../contract/index.js';
import { Screen } from '../../terminal/index.js';
import type { Asked } from '../desk.js';
import type { Draft } from './door.js';
import { TuiDoor } from './tui.js';

/** The last line says what the program shows. */
function read({ lines }: ScreenShot): ReturnType<Tui['read']> {
  const last = lines.findLast((line) => line.trim() !== '')?.trim() ?? '';
  const kind = ({ MAY: 'permission', ASKS: 'question', TRUST: 'first-run' } as const)[last.split(' ')[0]!];
  if (!kind) return { state: 'working', composer: true };
  const inquiry = { kind: 'run', tool: last, input: {}, exclusive: false } as const;
  const dialog: ScreenDialog = { key: last, kind, inquiry, keys: () => ['y'] };
  return { state: 'asking-permission', dialog };
}

const ASKED: Asked = {
  id: 'k7f2m9qd.9' as InquiryId,
  settled: new Promise(() => undefined),
  delivered: () => undefined,
  withdraw: () => undefined,
};

let screen: Screen;
let clock: HandClock;
let drafts: Draft[];
let asksElsewhere: boolean;
let door: TuiDoor;

beforeEach(() => {
  [screen, clock, drafts, asksElsewhere] = [new Screen({ size: { cols: 60, rows: 10 } }), new HandClock(), [], false];
  door = new TuiDoor({
    tui: { read, queues: true, submit: { pasteSettleMs: 0, slash: 'typed', defuse: [] }, interruptKeys: '\x1b' },
    screen,
    clock,
    hookTimeoutMs: 60_000,
    elsewhere: () => (asksElsewhere ? ASKED : undefined),
    ports: {
      show: (chunk) => screen.write(chunk),
      said: () => undefined,
      state: () => undefined,
      ask: (draft) => {
        drafts.push(draft);
        return {
          id: 'k7f2m9qd.1' as never,
          settled: new Promise(() => undefined),
          delivered: () => undefined,
          withdraw: () => undefined,
        };
      },
      byRules: async () => undefined,
      write: async () => 'written',
      endInput: () => undefined,
      type: async () => ({ verdict: 'submitted' }),
      conversation: () => undefined,
      transcript: () => undefined,
    },
  });
});
afterEach(() => screen.close());

async function show(line: string): Promise<void> {
  const framed = new Promise<void>((resolve) => screen.onFrame(() => resolve()));
  screen.write(Buffer.from(`\x1b[2J\x1b[H${line}\r\n`));
  await screen.shot();
  await framed;
  clock.advance(50);
  await screen.shot();
  await new Promise<void>((resolve) => setImmediate(resolve));
}

it.each(['MAY run ls', 'ASKS which'])(
  '%s, asked elsewhere, is not asked about again, and takes no Enter',
  async (line) => {
    asksElsewhere = true;
    await show(line);
    clock.advance(10_000);
    expect(drafts).toEqual([]);
    expect(door.mayType).toMatchObject({ may: 'no', reason: expect.stringContaining('dialog') });
    asksElsewhere = false;
    await show('WORKING');
    expect(door.mayType).toEqual({ may: 'queue' });
  },
);

it('a dialog that is painted before it is asked elsewhere waits for that', async () => {
  await show('MAY run ls');
  expect(door.mayType).toMatchObject({ may: 'no', reason: expect.stringContaining('dialog') });
  asksElsewhere = true;
  clock.advance(10_000);
  expect(drafts).toEqual([]);
});

it('a dialog that nobody asks about elsewhere is the screen’s own to tell', async () => {
  await show('MAY install a plugin');
  expect(drafts).toEqual([]);
  clock.advance(10_000);
  expect(drafts.map(({ tool }) => tool)).toEqual(['MAY install a plugin']);
});

it('a start-up page is always the screen’s own', async () => {
  asksElsewhere = true;
  await show('TRUST this folder');
  expect(drafts).toHaveLength(1);
});

it('what is asked elsewhere blocks a submit before its dialog is painted', () => {
  asksElsewhere = true;
  expect(door.mayType).toEqual({
    may: 'no',
    reason: 'a permission dialog is open (inquiry k7f2m9qd.9: `reins answer k7f2m9qd.9`)',
  });
});
