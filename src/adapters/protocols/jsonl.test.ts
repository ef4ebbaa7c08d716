import { describe, expect, it } from 'vitest';
import { lineReader, openAsks } from './jsonl.js';

const read = (text: string, longest?: number) => {
  const reader = lineReader(longest);
  return [...reader.feed(Buffer.from(text)), ...reader.end()];
};

describe('lineReader', () => {
  it.each([
    ['{"a":1}\n', [{ json: { a: 1 } }]],
    ['\n \r\n{"a":"é漢👩‍👩‍👧"}\r\n', [{ json: { a: 'é漢👩‍👩‍👧' } }]],
    ['[1]\n"x"\nnull\n', [{ garbage: '[1]' }, { garbage: '"x"' }, { garbage: 'null' }]],
    ['{"a":1', [{ garbage: '{"a":1' }]],
    ['{"a":1}{"b":2}\n', [{ garbage: '{"a":1}{"b":2}' }]],
  ])('%j', (text, lines) => {
    expect(read(text)).toEqual(lines);
  });

  it('drops a line that is too long, says so once, and reads on', () => {
    expect(read(`{"a":"${'x'.repeat(100)}"}\n{"b":1}\n`, 50)).toEqual([
      { garbage: `{"a":"${'x'.repeat(44)}` },
      { json: { b: 1 } },
    ]);
  });

  it('does not take what could not be written again', () => {
    const deep = `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    expect(read(deep)).toHaveLength(1);
    expect(read(deep)[0]).toHaveProperty('garbage');
  });
});

describe('openAsks', () => {
  it('knows ids of every JSON type apart', () => {
    const asks = openAsks<number>();
    const ids = [1, '1', null, true, [1], { a: 1 }, 1.5, ''];
    const keys = ids.map((id, index) => asks.open(id, index, { kind: 'run', exclusive: false }));
    expect(new Set(keys.map((step) => (step?.do === 'ask' ? step.key : ''))).size).toBe(ids.length);
    expect(ids.map((id) => asks.withdrawId(id, 'x').length)).toEqual(ids.map(() => 1));
    expect(asks.all()).toEqual([]);
  });

  it('uses no key twice, also when an id comes again', () => {
    const asks = openAsks<number>();
    const first = asks.open(1, 0, { kind: 'run', exclusive: false });
    asks.take('ask-1');
    const second = asks.open(1, 0, { kind: 'run', exclusive: false });
    expect(first).not.toEqual(second);
    expect(asks.take('ask-1')).toBeUndefined();
    expect(asks.take('ask-2')).toEqual({ id: 1, held: 0 });
  });
});
