/** What was found from outside about commands, by number: R1, R2, R6, R7, R8 must be asked, R12 denied, R13 allowed. */
import { describe, expect, it } from 'vitest';
import {
  type Attack,
  R1,
  R1_ZSH,
  R2,
  R6,
  R6_MORE,
  R7,
  R7_LATER,
  R8,
  R10_PLACES,
  R12,
  R12_CODE,
  R12_ONLY_WORDS,
  R12_STRANGERS,
  R13,
} from './attacks.cases.js';
import { bash, verdict } from './policy.cases.js';

const slipped = (attacks: Attack[]) =>
  attacks.flatMap(({ allow, commands }) => commands.filter((one) => verdict(bash(one), { allow }) !== 'ask'));

describe('understood or asked', () => {
  it('R1: no word is read and then dropped', () => expect(slipped(R1)).toEqual([]));
  it('R2: nothing assigns what a later command reads', () => expect(slipped(R2)).toEqual([]));
  it('R6: no option hides behind a hole, a brace or a glob', () => expect(slipped(R6)).toEqual([]));
  it('R7: options that run or write are asked about, however they are spelled', () => expect(slipped(R7)).toEqual([]));
  it('R8: a rule for a program does not cover a script on its input', () => expect(slipped(R8)).toEqual([]));

  it('R1: no expansion is a subscript in another shell', () => expect(slipped(R1_ZSH)).toEqual([]));
  it('R6: no word is taken for the value of an option that needs none', () => expect(slipped(R6_MORE)).toEqual([]));
  it('R7: nor the ones that were found later', () => expect(slipped(R7_LATER)).toEqual([]));
  it('R10: another folder or a link on the way is another command', () => expect(slipped(R10_PLACES)).toEqual([]));

  it('R12: what a launcher would run is denied', () => {
    const rules = { deny: ['Bash(rm:*)'], allow: ['Bash'] };
    const missed = R12.map((one) => [one, verdict(bash(one), rules)]).filter(([, word]) => word !== 'deny');
    expect(missed).toEqual([]);
  });

  it('R12: nor is it run unasked from inside the code of another program', () => {
    const rules = { deny: ['Bash(rm:*)'], allow: ['Bash'] };
    expect(R12_CODE.filter((one) => verdict(bash(one), rules) === 'allow')).toEqual([]);
  });

  it('R12: a program nobody knows that is given it may run it', () => {
    const rules = { deny: ['Bash(rm:*)', 'Bash(git push:*)'], allow: ['Bash'] };
    expect(R12_STRANGERS.filter((one) => verdict(bash(one), rules) === 'allow')).toEqual([]);
    expect(R12_ONLY_WORDS.filter((one) => verdict(bash(one), rules) !== 'allow')).toEqual([]);
    expect(verdict(bash('mytool git status'), rules)).toBe('allow');
    expect(verdict(bash('mytool git push'), rules)).toBe('ask');
  });

  it.each(R13)('R13: %j is not asked about', (command, allow) => {
    expect(verdict(bash(command), { allow })).toBe('allow');
  });
});
