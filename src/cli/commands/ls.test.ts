import { expect, test } from 'vitest';
import type { SessionRow } from '../../contract/index.js';
import { inFamilies } from './ls.js';

const row = (id: string, parent?: string) => ({ id, ...(parent ? { parent } : {}) }) as SessionRow;
const shown = (...rows: SessionRow[]) => inFamilies(rows).map(({ row: { id }, depth }) => `${'-'.repeat(depth)}${id}`);

test('a session stands below the one that started it, whatever the order', () => {
  expect(shown(row('c', 'b'), row('x'), row('b', 'a'), row('a'))).toEqual(['x', 'a', '-b', '--c']);
});

test('one whose parent is not listed stands by itself, and a circle hides nobody', () => {
  expect(shown(row('b', 'gone'), row('c', 'b'))).toEqual(['b', '-c']);
  expect(shown(row('a', 'b'), row('b', 'a'))).toEqual(['a', '-b']);
});
