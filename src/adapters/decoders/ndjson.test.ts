import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentOutput, Decoder } from '../../contract/index.js';
import { claudeStream } from './claude-stream.js';
import { codexExec } from './codex-exec.js';
import { geminiStream } from './gemini-stream.js';
import { ndjson } from './ndjson.js';
import { text } from './text.js';

const bytes = (value: string) => new TextEncoder().encode(value);
const names = () => ndjson((row) => (typeof row.n === 'string' ? [{ kind: 'text', text: row.n }] : undefined));
const readAll = (decoder: Decoder, chunks: Uint8Array[]): AgentOutput[] => [
  ...chunks.flatMap((chunk) => decoder.feed(chunk)),
  ...decoder.end(),
];

describe('lines of JSON', () => {
  it.each([
    ['LF', '{"n":"a"}\n{"n":"b"}\n', ['a', 'b']],
    ['CRLF', '{"n":"a"}\r\n\r\n{"n":"b"}\r\n', ['a', 'b']],
    ['no newline at the end', '{"n":"a"}', ['a']],
    ['colours around a record', '\x1b[32m{"n":"a"}\x1b[0m\n', ['a']],
    ['a title in front', '\x1b]0;claude\x07{"n":"é"}\n', ['é']],
    ['restore bytes after the last line', '{"n":"a"}\n\x1b(B\x0f\x1b[>4m\x1b[<u\x1b]0;\x07', ['a']],
    ['escaped control characters inside', '{"n":"\\u001b[1m\\r"}\n', ['\x1b[1m\r']],
  ])('%s', (_name, input, expected) => {
    expect(readAll(names(), [bytes(input)])).toEqual(expected.map((one) => ({ kind: 'text', text: one })));
  });

  it('finds a record behind what a terminal echoed in front of it', () => {
    const decoder = ndjson((row) => [{ kind: 'text', text: String(row.type) }]);
    expect(readAll(decoder, [bytes('^D\b\b{"type":"x"}\r\n')])).toEqual([{ kind: 'text', text: 'x' }]);
  });

  it('keeps what is no record, bounded', () => {
    const outputs = readAll(names(), [bytes(`Warning: no TTY\n{"broken":\n[1]\n{"x":1}\n${'y'.repeat(9000)}\n`)]);
    expect(outputs.map((one) => one.kind === 'unknown' && one.raw.slice(0, 20))).toEqual([
      'Warning: no TTY',
      '{"broken":',
      '[1]',
      '{"x":1}',
      'y'.repeat(20),
    ]);
    expect(outputs.at(-1)).toEqual({ kind: 'unknown', raw: `${'y'.repeat(2000)}…` });
  });

  it('skips a line of 50 MB with bounded memory and reads on', () => {
    const decoder = names();
    const outputs = decoder.feed(bytes('{"n":"'));
    const part = new Uint8Array(1024 * 1024).fill(0x61);
    let most = 0;
    for (let mb = 0; mb < 50; mb++) {
      outputs.push(...decoder.feed(part));
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }
    outputs.push(...decoder.feed(bytes('"}\n{"n":"next"}\n')));
    expect(outputs).toHaveLength(2);
    expect(outputs[0]).toMatchObject({ kind: 'unknown', raw: expect.stringMatching(/^\{"n":"a{1994}…$/) });
    expect(outputs[1]).toEqual({ kind: 'text', text: 'next' });
    expect(most).toBeLessThan(45 * 1024 * 1024);
  });

  it('a too long line is told the same way, whole or byte by byte', () => {
    const line = new Uint8Array(8 * 1024 * 1024 + 10).fill(0x62);
    const whole = readAll(names(), [line]);
    const decoder = names();
    const single: AgentOutput[] = [];
    for (let at = 0; at < line.length; at += 1) single.push(...decoder.feed(line.subarray(at, at + 1)));
    expect([...single, ...decoder.end()]).toEqual(whole);
  });

  it('survives nesting that no parser survives', () => {
    expect(readAll(names(), [bytes(`${'{"a":'.repeat(200_000)}\n`)])).toMatchObject([{ kind: 'unknown' }]);
  });
});

describe('garbage', () => {
  const decoders = { claudeStream, codexExec, geminiStream, text };
  const someType = fc.constantFrom('system', 'assistant', 'user', 'result', 'error', 'message', 'item.completed');
  const row = fc
    .record({
      type: someType,
      message: fc.jsonValue(),
      item: fc.jsonValue(),
      error: fc.jsonValue(),
      content: fc.jsonValue(),
    })
    .map((value) => bytes(`${JSON.stringify(value)}\n`));
  const noise = fc.uint8Array({ maxLength: 200 });

  it.each(Object.entries(decoders))('%s never throws, and says the same however it is cut', (_name, make) => {
    fc.assert(
      fc.property(fc.array(fc.oneof(row, noise), { maxLength: 8 }), (chunks) => {
        const merged = Buffer.concat(chunks);
        const whole = joined(readAll(make(), [merged]));
        expect(joined(readAll(make(), chunks))).toEqual(whole);
        const single = Array.from(merged, (byte) => Uint8Array.of(byte));
        expect(joined(readAll(make(), single))).toEqual(whole);
      }),
      { numRuns: 150 },
    );
  });
});

/** Plain text comes in pieces as it arrives; only their sum is promised. */
function joined(outputs: AgentOutput[]): AgentOutput[] {
  const all: AgentOutput[] = [];
  for (const one of outputs) {
    const last = all.at(-1);
    if (one.kind === 'text' && last?.kind === 'text') all[all.length - 1] = { ...last, text: last.text + one.text };
    else all.push(one);
  }
  return all;
}
