import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionId } from '../../contract/index.js';
import type { PromptParts } from '../../loop/index.js';
import { givePrompt } from './give-prompt.js';
import { HandOver } from './hand-over.js';

let base: string;
let cwd: string;
let dir: string;
const session = 'k7f2m9qd' as SessionId;
const NAME = '.agent/handover-k7f2m9qd.md';

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'reins-hand-over-'));
  cwd = join(base, 'project');
  dir = join(base, 'session');
  for (const one of [cwd, dir, join(dir, 'prompts'), join(base, 'elsewhere')]) mkdirSync(one);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const handOver = () => new HandOver({ cwd, session, now: Date.now });

const parts = (given: Partial<PromptParts>): PromptParts => ({
  ...{ words: 'Do it.', iteration: 2, attempt: 1, promise: 'LOOP_COMPLETE', guardrails: [], topics: [] },
  ...{ requiredEvents: [], gates: [], events: [], guidance: [], failedGates: [], notes: [] },
  ...given,
});

function give(over: HandOver, given: Partial<PromptParts>): string {
  const prompt = parts(given);
  const effect = { do: 'start', iteration: 2, attempt: 1, backend: 'practice', prompt } as const;
  const made = givePrompt({ dir, handOver: over }, effect);
  if (!('prompt' in made)) throw made;
  return made.prompt;
}

const long = { topic: 'plan.ready', payload: `first ${'x'.repeat(30_000)} last`, by: 'text' as const };

describe('what does not fit into a prompt', () => {
  test('is whole in a file of the project, named so that the agent finds it, and gone when it is not needed', () => {
    const over = handOver();
    expect(give(over, { events: [long] })).toContain(`Cut to fit; all of it is in ${NAME}`);
    expect(readFileSync(join(cwd, NAME), 'utf8')).toContain(long.payload);
    expect(lstatSync(join(cwd, NAME)).mode & 0o777).toBe(0o600);
    expect(give(over, { events: [{ ...long, payload: 'short' }] })).not.toContain('.agent');
    expect(existsSync(join(cwd, NAME))).toBe(false);
  });

  test('the output of a gate is whole too, beyond what the journal keeps of it', () => {
    const output = Array.from({ length: 5000 }, (_, n) => `line ${n}`).join('\n');
    writeFileSync(join(dir, 'prompts/001-gate-1.txt'), output);
    const gate = { gate: 'test', ok: false, exitCode: 1, seconds: 1, tail: output.slice(-4096) };
    give(handOver(), { failedGates: [{ ...gate, outputFile: 'prompts/001-gate-1.txt' }] });
    expect(readFileSync(join(cwd, NAME), 'utf8')).toContain('> line 0\n> line 1\n');
    // Its file is gone, or names another place: the tail is what there is.
    give(handOver(), { failedGates: [{ ...gate, outputFile: '../../../etc/passwd' }] });
    expect(readFileSync(join(cwd, NAME), 'utf8')).not.toContain('root:');
  });

  test('is bounded', () => {
    give(handOver(), { events: Array.from({ length: 100 }, () => ({ ...long, payload: 'é'.repeat(32_000) })) });
    expect(lstatSync(join(cwd, NAME)).size).toBeLessThan(1024 * 1024 + 200);
  });

  test.each([
    ['the file', () => symlinkSync(join(base, 'elsewhere/file'), join(cwd, NAME)), true],
    ['its draft', () => symlinkSync(join(base, 'elsewhere/file'), join(cwd, `${NAME}.new`)), true],
    ['a folder in place of the draft', () => mkdirSync(join(cwd, `${NAME}.new`)), true],
    ['a folder in its place', () => mkdirSync(join(cwd, NAME)), false],
  ])('is never written through a link: %s', (_, plant, works) => {
    mkdirSync(join(cwd, '.agent'));
    plant();
    const prompt = give(handOver(), { events: [long] });
    expect(existsSync(join(base, 'elsewhere/file'))).toBe(false);
    expect(prompt).toContain(works ? `all of it is in ${NAME}` : '002-details.md');
  });

  test('is in the session’s directory where the project has no such folder to give', () => {
    symlinkSync(join(base, 'elsewhere'), join(cwd, '.agent'));
    expect(give(handOver(), { events: [long] })).toContain('002-details.md');
    expect(existsSync(join(base, 'elsewhere/handover-k7f2m9qd.md'))).toBe(false);
    expect(readFileSync(join(dir, 'prompts/002-details.md'), 'utf8')).toContain(long.payload);
  });

  test('what a killed host left is removed after a week; nothing else is', () => {
    mkdirSync(join(cwd, '.agent'));
    for (const name of ['handover-aaaaaaaa.md', 'handover-bbbbbbbb.md', 'handover-notes.txt']) {
      writeFileSync(join(cwd, '.agent', name), 'x');
      if (!name.includes('bbbb')) utimesSync(join(cwd, '.agent', name), 1, 1);
    }
    handOver().write('x');
    const left = ['handover-aaaaaaaa.md', 'handover-bbbbbbbb.md', 'handover-notes.txt'];
    expect(left.filter((name) => existsSync(join(cwd, '.agent', name)))).toEqual(left.slice(1));
  });
});
