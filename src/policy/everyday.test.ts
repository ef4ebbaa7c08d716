/** How often a person is asked for nothing, over everyday commands. The figures are in docs/policy.md. */
import { expect, it } from 'vitest';
import { EVERYDAY, EVERYDAY_RULES, STILL_ASKED } from './everyday.cases.js';
import { bash, verdict } from './policy.cases.js';

const asked = (commands: typeof EVERYDAY) =>
  commands
    .map(([command]) => command)
    .filter((command) => verdict(bash(command), { allow: EVERYDAY_RULES }) !== 'allow');

const fine = EVERYDAY.filter(([, wanted]) => wanted === undefined);
const risky = EVERYDAY.filter(([, wanted]) => wanted === 'ask');

it('R13: of the everyday commands that the rules were written for, so many are still asked about', () => {
  expect(asked(fine)).toEqual(STILL_ASKED);
  expect(fine.length).toBe(115);
});

it('R13: what runs or writes something no rule names is asked about', () => {
  expect(asked(risky)).toEqual(risky.map(([command]) => command));
});
