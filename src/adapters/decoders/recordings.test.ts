/** What real agents printed, read whole and cut into pieces: the reading must not depend on the cuts. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentOutput, Decoder } from '../../contract/index.js';
import { HandClock } from '../../contract/index.js';
import { successOf } from '../success.js';
import { claudeStream } from './claude-stream.js';
import { codexExec } from './codex-exec.js';
import { geminiStream } from './gemini-stream.js';

const recordings = fileURLToPath(new URL('../../../test/recordings', import.meta.url));
const clock = new HandClock();
const decoders: Record<string, () => Decoder> = {
  'claude/stream-json': () => claudeStream({ clock }),
  'codex/exec-json': () => codexExec({ clock }),
  'gemini/stream-json': () => geminiStream({ clock }),
};
const cases = Object.entries(decoders).flatMap(([folder, make]) =>
  readdirSync(join(recordings, folder)).map((name) => ({
    name: `${folder}/${name}`,
    make,
    bytes: readFileSync(join(recordings, folder, name)),
  })),
);

function read(decoder: Decoder, chunks: Iterable<Uint8Array>): AgentOutput[] {
  const outputs: AgentOutput[] = [];
  for (const chunk of chunks) outputs.push(...decoder.feed(chunk));
  return [...outputs, ...decoder.end()];
}

function load(name: string): { outputs: AgentOutput[]; exit: number } {
  const found = cases.find((one) => one.name.includes(name))!;
  return {
    outputs: read(found.make(), [found.bytes]),
    exit: Number(/\.rc(\d+)\./.exec(basename(found.name))?.[1] ?? 0),
  };
}
const said = (outputs: AgentOutput[]) => outputs.map((one) => (one.kind === 'text' ? one.text : '')).join('');
const kinds = (outputs: AgentOutput[]) => outputs.map((one) => one.kind);

describe('every recording', () => {
  it('is there', () => expect(cases.length).toBe(18));

  it.each(cases)('$name reads the same byte by byte', ({ make, bytes }) => {
    const whole = read(make(), [bytes]);
    expect(whole.length).toBeGreaterThan(0);
    expect(whole.filter((one) => one.kind === 'unknown')).toEqual([]);
    expect(
      read(
        make(),
        Array.from(bytes, (byte) => Uint8Array.of(byte)),
      ),
    ).toEqual(whole);
  });

  it.each(cases)('$name reads the same however it is cut', ({ make, bytes }) => {
    const whole = read(make(), [bytes]);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), bytes.length];
        expect(
          read(
            make(),
            ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end)),
          ),
        ).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  it.each(cases)(
    '$name reads the same from a terminal (CRLF, restore bytes after the last line)',
    ({ make, bytes }) => {
      const noise = '\x1b[?1006l\x1b[?1000l\x1b(B\x0f\x1b[>4m\x1b[<u\x1b[?25h\x1b7\x1b[r\x1b8\x1b]0;\x07';
      const terminal = Buffer.from(`\x1b[?25l${bytes.toString('utf8').replaceAll('\n', '\r\n')}${noise}`);
      expect(read(make(), [terminal])).toEqual(read(make(), [bytes]));
    },
  );
});

describe('codex exec --json', () => {
  it('reads words, commands and the end of a turn', () => {
    const { outputs, exit } = load('codex/exec-json/shell.rc0');
    expect(outputs[0]).toEqual({ kind: 'conversation', id: '01a1de1e-4271-7b62-b79f-31da2a89f64b' });
    expect(outputs[1]).toMatchObject({ kind: 'error', fatal: false });
    expect(said(outputs)).toBe('I will write a file.\nFile written. LOOP_COMPLETE\n');
    expect(outputs).toContainEqual({
      kind: 'tool',
      call: 'item_2',
      tool: 'shell',
      input: { command: "/bin/bash -lc 'echo hi > made-by-agent.txt && ls -la made-by-agent.txt'" },
    });
    expect(outputs).toContainEqual(expect.objectContaining({ kind: 'tool-result', call: 'item_2', ok: true }));
    expect(outputs.at(-2)).toEqual({ kind: 'usage', inputTokens: 200, outputTokens: 40 });
    expect(outputs.at(-1)).toEqual({ kind: 'done', ok: true, text: 'File written. LOOP_COMPLETE' });
    expect(successOf({ label: 'Codex' }, { door: 'stream', exit, signal: null, outputs })).toEqual({ ok: true });
  });

  it('tells a failed command from a failed turn', () => {
    const { outputs } = load('shell2.rc0');
    const results = outputs.filter((one) => one.kind === 'tool-result');
    expect(results.map((one) => [one.ok, one.text])).toEqual([
      [true, 'one\n'],
      [false, 'two\n'],
    ]);
    expect(outputs.at(-1)).toMatchObject({ kind: 'done', ok: true });
  });

  it('reads thinking and patches', () => {
    expect(load('think.rc0').outputs).toContainEqual({ kind: 'thinking', text: '**Thinking hard**\n\nabout it\n' });
    expect(kinds(load('codex/exec-json/patch.rc0').outputs)).toEqual([
      'conversation',
      'error',
      'tool',
      'tool-result',
      'text',
      'usage',
      'done',
    ]);
  });

  it.each(['codex/exec-json/e401', 'e500', 'rquota'])('%s is a failure that is told once', (name) => {
    const { outputs, exit } = load(name);
    const reasons = outputs.filter((one) => one.kind === 'error' && !one.message.startsWith('Model metadata'));
    expect(reasons).toHaveLength(1);
    expect(outputs.at(-1)).toMatchObject({ kind: 'done', ok: false });
    expect(successOf({ label: 'Codex' }, { door: 'stream', exit, signal: null, outputs }).ok).toBe(false);
    expect(kinds(outputs).includes('limit')).toBe(name === 'rquota');
  });
});

describe('gemini -o stream-json', () => {
  it('joins pieces of text and ends the block at the next row', () => {
    const { outputs } = load('gemini/stream-json/shell.rc0');
    expect(outputs[0]).toMatchObject({ kind: 'conversation', model: 'auto' });
    expect(said(outputs)).toBe('I will write a file.\nFile written. LOOP_COMPLETE\n');
    expect(outputs.at(-1)).toEqual({ kind: 'done', ok: true, text: 'File written. LOOP_COMPLETE' });
    expect(said(load('slow.rc0').outputs)).toMatch(/^(word )+\n$/);
  });

  it('never takes the echo of our prompt for the assistant’s words', () => {
    for (const { make, bytes, name } of cases.filter((one) => one.name.startsWith('gemini/'))) {
      expect(said(read(make(), [bytes])), name).not.toContain('SCN=');
    }
  });

  it('a tool that is missing is a failed call in a turn that succeeded', () => {
    const { outputs } = load('shell-noyolo.rc0');
    expect(outputs.find((one) => one.kind === 'tool-result')).toMatchObject({ ok: false });
    expect(outputs.at(-1)).toMatchObject({ kind: 'done', ok: true });
  });

  it.each(['gemini/stream-json/e401', 'empty.rc0'])('%s is a failure, whatever the exit code', (name) => {
    const { outputs } = load(name);
    expect(outputs.at(-1)).toMatchObject({ kind: 'done', ok: false, reason: expect.stringMatching(/401|empty/) });
    expect(successOf({ label: 'Gemini' }, { door: 'stream', exit: 0, signal: null, outputs }).ok).toBe(false);
  });
});

describe('claude stream-json', () => {
  const { outputs } = load('claude/stream-json');

  it('says every word once, although it came in pieces too', () => {
    expect(said(outputs).match(/I will run a command\./g)).toHaveLength(1);
    expect(said(outputs).match(/FIN\. tool said/g)).toHaveLength(2);
    expect(said(outputs)).not.toContain('[[');
  });

  it('reads the conversation once, tools with results, and three ends', () => {
    expect(outputs.filter((one) => one.kind === 'conversation')).toHaveLength(1);
    expect(outputs.filter((one) => one.kind === 'tool').map((one) => one.tool)).toEqual(['Bash', 'AskUserQuestion']);
    expect(outputs.filter((one) => one.kind === 'tool-result')).toHaveLength(2);
    expect(outputs.filter((one) => one.kind === 'done').map((one) => one.ok)).toEqual([true, true, false]);
    expect(outputs.at(-1)).toMatchObject({ reason: expect.stringMatching(/^error_during_execution/), turns: 2 });
    expect(outputs).toContainEqual({ kind: 'usage', inputTokens: 442, outputTokens: 50, costUsd: 0.006905 });
  });
});
