import { describe, expect, test } from 'vitest';
import { migrateText } from './migrate-text.js';
import { errorOf, sandbox } from './sandbox.cases.js';

const load = (text: string, name = 'ralph.yml') => sandbox({ [name]: text }).load();
const problem = (text: string): string => errorOf(() => load(text)).message;

const SHARED = `
_shared: &shared
  triggers: [work.start]
  instructions: shared words
  timeout: 60
`;

describe('<<: brings in the keys of another map', () => {
  test.each(['ralph.yml', 'reins.yml'])('and what is written beside it wins, in a %s', (name) => {
    const text = 'hats:\n  a: &a {triggers: [x], timeout: 60}\n  b:\n    <<: *a\n    timeout: 7\n';
    const { config } = load(text, name);
    expect(config.hats.b).toMatchObject({ triggers: ['x'], timeout: 7 });
    expect(config.hats.a).toMatchObject({ triggers: ['x'], timeout: 60 });
  });

  test('wherever it stands among the keys', () => {
    const { config } = load(`${SHARED}hats:\n  b:\n    timeout: 7\n    <<: *shared\n`);
    expect(config.hats.b).toMatchObject({ instructions: 'shared words', timeout: 7 });
  });

  test('of several the first one wins; one may bring in another', () => {
    const text = `_a: &a {timeout: 1, triggers: [a]}\n_b: &b {timeout: 2, instructions: b}\n_c: &c {<<: *b, triggers: [c]}
hats:\n  x: {<<: [*a, *b]}\n  y: {<<: *c}\n  z: {<<: {timeout: 9}, triggers: [z]}\n`;
    const { config } = load(text);
    expect(config.hats.x).toMatchObject({ timeout: 1, triggers: ['a'], instructions: 'b' });
    expect(config.hats.y).toMatchObject({ timeout: 2, triggers: ['c'], instructions: 'b' });
    expect(config.hats.z).toMatchObject({ timeout: 9, triggers: ['z'] });
  });

  test('whole keys, not what is inside them; one written empty is not filled', () => {
    const text = `_a: &a {backend: {command: x, args: [one]}, instructions: a}
hats:\n  x:\n    <<: *a\n    triggers: [t]\n    backend: {command: y}\n    instructions:\n`;
    const { config } = load(text);
    expect(config.hats.x).toMatchObject({ backend: { command: 'y', args: [] }, instructions: '' });
  });

  test('its values are found where they are written', () => {
    expect(problem('_a: &a {timeout: soon}\nhats:\n  x: {<<: *a, triggers: [t]}\n')).toMatch(
      /^ralph\.yml:1:18 hats\.x\.timeout: expected a number/,
    );
  });

  test('at the top, and in maps of a list', () => {
    const { config } = load(
      '_all: &all {max_iterations: 3}\n<<: *all\nevent_loop: {gates: [&g {run: make, name: a}, {<<: *g, name: b}]}',
    );
    expect(config.event_loop.max_iterations).toBe(3);
    expect(config.event_loop.gates).toMatchObject([
      { run: 'make', name: 'a' },
      { run: 'make', name: 'b' },
    ]);
  });
});

describe('<<: that cannot be', () => {
  test.each([
    ['hats: {x: {<<: 3}}', 'hats.x.<<: expected a map, or a list of maps'],
    ['hats: {x: {<<: [{timeout: 1}, 4]}}', 'hats.x.<<: expected a map, or a list of maps'],
    ['hats: {x: {<<: *nobody}}', 'there is no anchor nobody'],
    ['hats: {x: {<<: {a: 1}, <<: {b: 1}}}', 'hats.x.<< is written twice'],
    ['hats: {x: {<<: {nonsense: 1}}}', 'nonsense'],
    ['hats: {x: {"<<": {timeout: 1}}}', '<<'],
    ['hats: {x: {<<: {__proto__: {timeout: 1}}}}', 'a key must be a plain word'],
  ])('%s', (text, words) => {
    expect(problem(text)).toContain(words);
  });

  test('a map that brings in itself ends', () => {
    expect(problem('hats: &h\n  x: &x\n    <<: *x\n')).toContain('brings in itself');
    expect(problem('hats:\n  x: &x\n    <<: [{<<: *x}]\n')).toContain('brings in itself');
  });

  test('a bomb of them is refused, and soon', () => {
    const levels = ['_l0: &l0 {a: 1, b: 2, c: 3}'];
    for (let at = 1; at < 12; at += 1) {
      const many = Array.from({ length: 9 }, () => `*l${at - 1}`).join(', ');
      levels.push(`_l${at}: &l${at} {<<: [${many}]}`);
    }
    const start = performance.now();
    expect(problem(levels.join('\n'))).toContain('too large once its aliases are resolved');
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

test('migrate: of several the first one counts, whatever that one brings in itself', () => {
  const text =
    '_b: &b {instructions: b}\n_a: &a {<<: *b, timeout: 1}\n_c: &c {instructions: c, timeout: 2}\nhats: {x: {triggers: [t], <<: [*a, *c]}}\n';
  const { config } = sandbox({ 'reins.yml': migrateText(text).text }).load();
  expect(config.hats.x).toMatchObject({ instructions: 'b', timeout: 1 });
  expect(load(text).config.hats.x).toMatchObject({ instructions: 'b', timeout: 1 });
});

test('migrate writes them out where it changes something, comments kept', () => {
  const text = `# mine\n${SHARED}hats:\n  # the builder\n  b:\n    <<: *shared\n    timeout: 7\n`;
  const { text: written } = migrateText(text);
  expect(written).toContain('# the builder');
  expect(written).not.toContain('<<');
  const { config } = sandbox({ 'reins.yml': written }).load();
  expect(config.hats.b).toMatchObject({ triggers: ['work.start'], instructions: 'shared words', timeout: 7 });
});
