import { expect, it } from 'vitest';
import { isBelow, parseVersion } from './version.js';

it.each([
  ['codex-cli 0.166.0', [0, 166, 0]],
  ['2.1.197 (Claude Code)', [2, 1, 197]],
  ['0.62.0-nightly.20261101+abc', [0, 62, 0]],
  ['v1.25', [1, 25, 0]],
  ['', undefined],
  ['dev build', undefined],
  [undefined, undefined],
])('%s', (text, expected) => expect(parseVersion(text)).toEqual(expected));

it.each([
  ['0.9.0', '0.126.0', true],
  ['0.126.0', '0.126.0', false],
  ['1.0.0', '0.126.0', false],
  ['0.125.9', '0.126.0', true],
  ['', '0.126.0', undefined],
])('%s below %s: %s', (text, than, below) => expect(isBelow(text, than)).toBe(below));
