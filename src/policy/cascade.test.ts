import { describe, expect, test } from 'vitest';
import { chooseMode, isExclusive, toolSettings } from './cascade.js';
import { ask, question, settingsWith } from './policy.cases.js';
import type { AnswerMode, KindModes, Sourced, ToolSettings } from './settings.js';

const at = (value: AnswerMode, source: string): Sourced<AnswerMode> => ({ value, source });

/** All sixteen ways in which the four written levels can be there or not. */
const PRESENT = Array.from({ length: 16 }, (_, bits) => ({
  ownKind: (bits & 8) > 0,
  own: (bits & 4) > 0,
  defaultKind: (bits & 2) > 0,
  default: (bits & 1) > 0,
}));

describe.each(['attached', 'detached'] as const)('%s', (side) => {
  describe.each(['run', 'deliver', 'question'] as const)('%s', (kind) => {
    test.each(PRESENT)('first match wins: %o', (level) => {
      const modes = (kindSet: Sourced<AnswerMode> | false, all: Sourced<AnswerMode> | false): KindModes => ({
        ...(kindSet ? { [kind]: kindSet } : {}),
        ...(all ? { all } : {}),
      });
      const own: ToolSettings = {
        [side]: modes(level.ownKind && at('auto', 'f:1'), level.own && at('defer', 'f:2')),
      };
      const defaults: ToolSettings = {
        [side]: modes(level.defaultKind && at('defaults', 'f:3'), level.default && at('ask', 'f:4')),
      };
      const settings = settingsWith({}, { tools: { defaults, named: { Bash: own } } });
      const builtIn = side === 'detached' ? 'deny' : kind === 'deliver' ? 'auto' : 'ask';
      const expected = level.ownKind
        ? { mode: 'auto', rule: { text: `tools.Bash.${side}.${kind}`, source: 'f:1' } }
        : level.own
          ? { mode: 'defer', rule: { text: `tools.Bash.${side}`, source: 'f:2' } }
          : level.defaultKind
            ? { mode: 'defaults', rule: { text: `tools.defaults.${side}.${kind}`, source: 'f:3' } }
            : level.default
              ? { mode: 'ask', rule: { text: `tools.defaults.${side}`, source: 'f:4' } }
              : { mode: builtIn, rule: { text: `tools.defaults.${side}`, source: 'default' } };
      expect(chooseMode(settings, { side, kind, tool: 'Bash' })).toEqual(expected);
    });
  });
});

test('another kind or another side of the same tool does not count', () => {
  const own: ToolSettings = { detached: { deliver: at('auto', 'f:1') }, attached: { all: at('auto', 'f:2') } };
  const settings = settingsWith({}, { tools: { defaults: {}, named: { Bash: own } } });
  expect(chooseMode(settings, { side: 'detached', kind: 'run', tool: 'Bash' }).mode).toBe('deny');
  expect(chooseMode(settings, { side: 'detached', kind: 'deliver', tool: 'Edit' }).mode).toBe('deny');
});

test('a tool is found by the agent’s own name first, then by any name for the same tool', () => {
  const named = { Bash: { detached: {} }, shell: { attached: {} }, constructor: {} };
  const settings = settingsWith({}, { tools: { defaults: {}, named } });
  expect(toolSettings(settings, 'shell')?.name).toBe('shell');
  expect(toolSettings(settings, 'run_shell_command')?.name).toBe('Bash');
  expect(toolSettings(settings, 'Edit')).toBeUndefined();
  expect(toolSettings(settingsWith({}), 'constructor')).toBeUndefined();
});

// "exclusive: user's tools.<name>.questions.<id>.exclusive → the asker's flag → false"
test.each([
  { user: undefined, asker: false, secret: false, expected: false },
  { user: undefined, asker: true, secret: false, expected: true },
  { user: false, asker: true, secret: false, expected: false },
  { user: true, asker: false, secret: false, expected: true },
  { user: false, asker: false, secret: true, expected: true },
])('exclusive: %o', ({ user, asker, secret, expected }) => {
  const questions = user === undefined ? {} : { db: { exclusive: { value: user, source: 'f:1' } } };
  const settings = settingsWith({}, { tools: { defaults: {}, named: { AskUserQuestion: { questions } } } });
  expect(isExclusive(settings, ask([question(secret ? { secret } : {})], asker))).toBe(expected);
});

test('one exclusive question makes the inquiry exclusive', () => {
  const questions = { db: { exclusive: { value: true, source: 'f:1' } } };
  const settings = settingsWith({}, { tools: { defaults: { questions }, named: {} } });
  expect(isExclusive(settings, ask([question({ id: 'other' })]))).toBe(false);
  expect(isExclusive(settings, ask([question({ id: 'other' }), question()]))).toBe(true);
});
