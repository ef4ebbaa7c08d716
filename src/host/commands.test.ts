/** The host reads arguments by hand; here it is held against the schemas that everyone else goes by. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { COMMAND_RIGHTS, type CommandName, type ReinsError } from '../contract/index.js';
import { CommandSchemas } from '../contract/schemas.js';
import { readArgs } from './commands.js';

const names = Object.keys(CommandSchemas) as CommandName[];

const POOL: unknown[] = [
  'once',
  'stop',
  'kill',
  'session',
  'some words',
  [],
  ['allow'],
  0,
  1,
  80,
  1000,
  true,
  false,
  {},
];

const value = fc.oneof(
  fc.constantFrom<unknown>('once', 'session', 'stop', 'kill', 'allow', '', 'Esc', null, true, false, [], {}, undefined),
  fc.constantFrom<unknown>(-1, 0, 1, 1.5, 80, 1000, 1001, 100_000, 100_001, Number.NaN, Number.POSITIVE_INFINITY),
  fc.integer({ min: 0, max: 1100 }),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.string(),
  fc.jsonValue(),
);

function byHand(name: CommandName, args: unknown): unknown {
  try {
    return { read: readArgs(name, args) };
  } catch (error) {
    expect((error as ReinsError).code).toBe('USAGE');
    return 'refused';
  }
}

function bySchema(name: CommandName, args: unknown): unknown {
  const { success, data } = CommandSchemas[name].args.safeParse(args);
  if (!success) return 'refused';
  return { read: Object.fromEntries(Object.entries(data).filter(([, one]) => one !== undefined)) };
}

describe('the arguments of', () => {
  it.each(names)('%s are read as its schema says', (name) => {
    const shape = { ...(CommandSchemas[name].args.shape as Record<string, z.ZodType>), stranger: z.unknown() };
    const seen = { read: 0, refused: 0 };
    const record = (of: (schema: z.ZodType) => fc.Arbitrary<unknown>) =>
      fc.record(Object.fromEntries(Object.entries(shape).map(([field, schema]) => [field, of(schema)])), {
        requiredKeys: [],
      });
    const fitting = (schema: z.ZodType) => fc.constantFrom(...POOL.filter((one) => schema.safeParse(one).success));
    const mostly = (schema: z.ZodType) => fc.oneof({ weight: 9, arbitrary: fitting(schema) }, value);
    fc.assert(
      fc.property(
        fc.oneof(
          record(fitting),
          record(mostly),
          record(() => value),
          value,
        ),
        (args) => {
          const read = byHand(name, args);
          expect(read).toEqual(bySchema(name, args));
          seen[read === 'refused' ? 'refused' : 'read'] += 1;
        },
      ),
      { numRuns: 400 },
    );
    // Both ways were really walked.
    expect(seen.read).toBeGreaterThan(0);
    expect(seen.refused).toBeGreaterThan(0);
  });
});

it.each(['submit', 'guide'] as const)('%s takes a text up to a bound, by hand as by its schema', (name) => {
  const most = { text: 'x'.repeat(1024 * 1024) };
  expect(byHand(name, most)).toEqual({ read: most });
  expect(bySchema(name, most)).toEqual({ read: most });
  const more = { text: `${most.text}x` };
  expect([byHand(name, more), bySchema(name, more)]).toEqual(['refused', 'refused']);
});

it('every command has a right, and no right is without a command', () => {
  expect(Object.keys(COMMAND_RIGHTS).sort()).toEqual([...names].sort());
  expect(new Set(Object.values(COMMAND_RIGHTS))).toEqual(new Set(['view', 'answer', 'type', 'admin']));
});
