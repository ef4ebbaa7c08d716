import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { fitsArgument, fitsTui, fitsValue, LARGEST_ARGUMENT } from './prompt.js';

describe('what fits an argument', () => {
  it('the largest one we use can be spawned, one of 128 KiB cannot', () => {
    expect(spawnSync('/bin/true', ['a'.repeat(LARGEST_ARGUMENT)]).status).toBe(0);
    expect(spawnSync('/bin/true', ['a'.repeat(131_072)]).error).toMatchObject({ code: 'E2BIG' });
  });

  it.each([
    ['words', true, true],
    ['', true, true],
    ['-x', false, true],
    ['a\0b', false, false],
    ['a'.repeat(LARGEST_ARGUMENT), true, true],
    ['é'.repeat(LARGEST_ARGUMENT / 2 + 1), false, false],
  ])('%.10s', (text, argument, value) => {
    expect(fitsArgument(text)).toBe(argument);
    expect(fitsValue(text)).toBe(value);
  });

  it('a terminal program must not take it for a command', () => {
    expect(fitsTui('update', ['update'])).toBe(false);
    expect(fitsTui(' update\n', ['update'])).toBe(false);
    expect(fitsTui('update the docs', ['update'])).toBe(true);
    expect(fitsTui('!ls', [])).toBe(false);
  });
});
