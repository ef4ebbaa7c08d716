import { describe, expect, it } from 'vitest';
import type { ScreenDialog, ScreenReading } from '../../adapters/index.js';
import { systemClock } from '../../contract/index.js';
import { pressKeys } from './press-keys.js';

const DOWN = '\x1b[B';
const NO = { verdict: { kind: 'values' as const, values: { q: ['2'] } } };

/** A menu as a real agent has it: an arrow moves the pointer a moment later, Enter takes what it stands on. */
function menu({
  moves = true,
  types = true,
  wanted = 2,
  text = [] as string[],
  deaf = 0,
  kind = 'first-run',
  /** What is read once a text was typed. */
  later = undefined as ScreenReading | undefined,
  leadsTo = undefined as string | undefined,
  page = undefined as string | undefined,
  line = undefined as ScreenDialog['line'],
  hindered = undefined as string | undefined,
} = {}) {
  const state = { pointer: 1, took: undefined as number | undefined, wrote: [] as string[], looks: 0, typed: '' };
  const dialog: ScreenDialog = {
    key: 'menu',
    kind: kind as ScreenDialog['kind'],
    inquiry: { kind: 'question', tool: 'trust-folder', exclusive: true },
    ...(leadsTo === undefined ? {} : { leadsTo }),
    ...(page === undefined ? {} : { page }),
    ...(line === undefined ? {} : { line }),
    keys: () => [...Array.from({ length: Math.max(0, wanted - state.pointer) }, () => DOWN), ...text, '\r'],
  };
  let due = 0;
  let left = deaf;
  const press = () =>
    pressKeys({
      dialog,
      settled: NO,
      clock: { ...systemClock, now: () => state.looks * 100 },
      now: async () => {
        state.looks += 1;
        if (due > 0 && --due === 0 && moves) state.pointer += 1;
        if (later && state.wrote.includes('words')) return later;
        return state.took === undefined ? { dialog } : { state: 'working' };
      },
      painted: async () => {
        state.looks += 1;
        return `${state.pointer} ${state.typed}`;
      },
      hindered: () => hindered,
      ...(line === undefined
        ? {}
        : {
            takeBack: async () => {
              state.wrote.push('taken back');
            },
          }),
      write: async (key, unseen) => {
        state.wrote.push(unseen ? `${key} (unseen)` : key);
        if (key === DOWN) due = 3;
        else if (key === 'words') state.typed += types ? key : '';
        else if (--left < 0) state.took = state.pointer;
        return 'written';
      },
    });
  return { state, press, dialog };
}

describe('answering a dialog with keys', () => {
  it('confirms only when the pointer stands on the choice: an arrow and Enter together would confirm the one before', async () => {
    const { state, press } = menu({ wanted: 3 });
    expect(await press()).toBe('told');
    expect(state.took).toBe(3);
    expect(state.wrote).toEqual([DOWN, DOWN, '\r']);
  });

  it('a pointer that does not move is never confirmed', async () => {
    const { state, press } = menu({ moves: false });
    expect(await press()).toMatch(/nothing was confirmed/);
    expect(state.took).toBeUndefined();
  });

  it('Enter follows a text only when the text stands there', async () => {
    const typed = menu({ text: ['words'] });
    expect(await typed.press()).toBe('told');
    expect(typed.state.wrote).toEqual([DOWN, 'words', '\r']);
    const swallowed = menu({ text: ['words'], types: false });
    expect(await swallowed.press()).toMatch(/nothing was confirmed/);
    expect(swallowed.state.took).toBeUndefined();
  });

  it('D3: a page that swallowed its key is given it again, and is told only when it is gone', async () => {
    const { state, press } = menu({ deaf: 2 });
    expect(await press()).toBe('told');
    expect(state.wrote).toEqual([DOWN, '\r', '\r', '\r']);
    const dead = menu({ deaf: 9 });
    expect(await dead.press()).toMatch(/nothing was confirmed/);
    expect(dead.state.wrote).toEqual([DOWN, '\r', '\r', '\r']);
  });

  it('a permission dialog is never given a key twice: another one may stand behind it', async () => {
    const { state, press } = menu({ deaf: 1, kind: 'permission' });
    expect(await press()).toMatch(/not taken/);
    expect(state.wrote).toEqual([DOWN, '\r']);
    expect(await menu({ kind: 'permission' }).press()).toBe('told');
  });

  it('C4: another dialog between two keys gets none of them, and nothing is confirmed', async () => {
    for (const later of [{ dialog: { ...menu().dialog, key: 'erase-everything' } }, { state: 'working' as const }]) {
      const { state, press } = menu({ text: ['words'], wanted: 1, kind: 'question', later });
      expect(await press()).toMatch(/changed .* nothing was confirmed/);
      expect([state.wrote, state.took]).toEqual([['words'], undefined]);
    }
  });

  it('C4: a page that its own keys lead to is no other dialog', async () => {
    const later = { dialog: { ...menu().dialog, key: 'review-1' } };
    const led = menu({ text: ['words'], wanted: 1, kind: 'question', later, leadsTo: 'review-' });
    await led.press();
    expect(led.state.wrote).toEqual(['words', '\r']);
  });

  it('C4: labels that change with what is typed do not make it another dialog; another question does', async () => {
    for (const [page, wrote] of [
      ['colour', ['words', '\r']],
      ['erase', ['words']],
    ] as const) {
      const later = { dialog: { ...menu().dialog, key: 'relabelled', page } };
      const { state, press } = menu({ text: ['words'], wanted: 1, kind: 'question', later, page: 'colour' });
      await press();
      expect(state.wrote).toEqual(wrote);
    }
  });

  it('a line is confirmed only where it is proven that it stands before its program, and is taken back else', async () => {
    const { state, press } = menu({ text: ['words'], wanted: 1, kind: 'question', later: {}, line: 'shown' });
    expect(await press()).toMatch(/nothing was confirmed/);
    expect(state.wrote).toEqual(['words', 'taken back']);
    const secret = menu({ text: ['words'], types: false, wanted: 1, kind: 'question', line: 'unseen' });
    expect(await secret.press()).toBe('told');
    expect(secret.state.wrote).toEqual(['words (unseen)', '\r (unseen)']);
  });

  it('nobody who types at the terminal is typed into', async () => {
    const { state, press } = menu({ text: ['words'], wanted: 1, kind: 'question', line: 'unseen', hindered: 'typing' });
    expect(await press()).toBe('typing');
    expect(state.wrote).toEqual([]);
  });

  it('a dialog that is gone gets no key', async () => {
    const { state, press } = menu();
    state.took = 1;
    expect(await press()).toMatch(/gone/);
    expect(state.wrote).toEqual([]);
  });
});

describe('a list of which several are ticked', () => {
  /** Digits tick; `mistaken`: one digit is taken for another. */
  function list(mistaken: Record<string, string> = {}) {
    const ticked = new Set<string>();
    const wrote: string[] = [];
    let looks = 0;
    const wanted = ['1', '3'];
    const dialog: ScreenDialog = {
      key: 'several',
      kind: 'question',
      inquiry: { kind: 'question', tool: 'ask_user', exclusive: false },
      follows: true,
      keys: () => [...['1', '2', '3'].filter((one) => wanted.includes(one) !== ticked.has(one)), '\r'],
    };
    const press = () =>
      pressKeys({
        dialog,
        settled: NO,
        clock: { ...systemClock, now: () => looks * 100 },
        now: async () => {
          looks += 1;
          return wrote.at(-1) === '\r' ? { state: 'working' } : { dialog };
        },
        painted: async () => {
          looks += 1;
          return [...ticked].join();
        },
        write: async (key) => {
          wrote.push(key);
          if (key !== '\r') ticked.add(mistaken[key] ?? key);
          return 'written';
        },
      });
    return { press, wrote, ticked };
  }

  it('is confirmed with what was chosen', async () => {
    const { press, wrote } = list();
    expect(await press()).toBe('told');
    expect(wrote).toEqual(['1', '3', '\r']);
  });

  it.each([[{ 3: '2' }], [{ 1: '2' }]])('is not confirmed where %j was ticked instead', async (mistaken) => {
    const { press, wrote } = list(mistaken);
    expect(await press()).toContain('nothing was confirmed');
    expect(wrote).not.toContain('\r');
  });
});
