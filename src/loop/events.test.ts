import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventParser, LONGEST_PAYLOAD, parseEvents } from './events.js';

const event = (topic: string, payload = '') => ({ topic, payload });

describe('events in assistant text', () => {
  test.each([
    ['double quotes', '<event topic="build.done">tests pass</event>', [event('build.done', 'tests pass')]],
    ['single quotes', "<event topic='build.done'>x</event>", [event('build.done', 'x')]],
    ['self-closing', "<event topic='x'/>", [event('x')]],
    ['extra attributes', '<event id="7" topic="x" urgent note=\'a>b\'>y</event>', [event('x', 'y')]],
    ['over several lines', 'a\n<event topic="x">\n one\n two\n</event>\nb', [event('x', 'one\n two')]],
    ['windows line ends', '<event topic="x">\r\none\r\n</event>\r\n', [event('x', 'one')]],
    ['two on a line', '<event topic="a">1</event><event topic="b">2</event>', [event('a', '1'), event('b', '2')]],
    [
      'entities',
      '<event topic="a&amp;b">1 &lt; 2 &gt; &quot;0&quot; &amp;lt;</event>',
      [event('a&b', '1 < 2 > "0" &lt;')],
    ],
    ['in a sentence', 'Done: <event topic="a">b</event>, and now?', [event('a', 'b')]],
    ['without a topic', '<event name="a">b</event>', []],
    ['with an empty topic', '<event topic=" ">b</event>', []],
    ['unquoted', '<event topic=a>b</event>', []],
    ['another tag', '<events topic="a">b</events>', []],
    ['never closed', '<event topic="a">b', []],
    ['a close alone', '</event> <event topic="a"/>', [event('a')]],
    ['unterminated, then a good one', '<event topic="a"> oh\n<event topic="b">c</event>', [event('b', 'c')]],
    ['nested', '<event topic="a">x<event topic="b">y</event>z</event>', [event('b', 'y')]],
    ['a broken tag before a good one', '<event topic="a<event topic="b">c</event>', [event('b', 'c')]],
  ])('%s', (_, text, expected) => {
    expect(parseEvents(text)).toEqual(expected);
  });

  test.each([
    ['a fence', '```\n<event topic="a">b</event>\n```'],
    ['a fence of tildes', '~~~xml\n<event topic="a">b</event>\n~~~'],
    ['an indented fence', '- like:\n    ```xml\n    <event topic="a">b</event>\n    ```'],
    ['a quoted fence', '> ```\n> <event topic="a"/>\n> ```'],
    ['a fence that holds a shorter one', '````\n```\n<event topic="a"/>\n```\n````'],
    ['a fence that is never closed', '```\n<event topic="a"/>'],
    ['inline code', 'write `<event topic="a">b</event>` to publish'],
    ['inline code with two backticks', '``<event topic="a"/> ` ``'],
    ['a one-line block', '```<event topic="a"/>```'],
  ])('not in %s', (_, text) => {
    expect(parseEvents(text)).toEqual([]);
  });

  test('after a fence has closed events count again', () => {
    expect(parseEvents('```\ncode\n```\n<event topic="a"/>')).toEqual([event('a')]);
  });

  test('a lone backtick hides nothing', () => {
    expect(parseEvents('it`s <event topic="a"/>')).toEqual([event('a')]);
  });

  test('a payload may hold a code block', () => {
    const text = '<event topic="a">\n```js\n"</event>"\n```\nend</event>';
    expect(parseEvents(text)).toEqual([event('a', '```js\n"</event>"\n```\nend')]);
  });

  test('a payload that is too long is cut at whole characters, and the event still counts', () => {
    const found = parseEvents(`<event topic="a">${'é'.repeat(LONGEST_PAYLOAD)}</event>`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ topic: 'a', truncated: true });
    expect(Buffer.byteLength(found[0]!.payload)).toBe(LONGEST_PAYLOAD);
    expect(found[0]!.payload).not.toContain('\uFFFD');
  });

  test('megabytes after an unterminated tag are survived, and later events found', () => {
    const parser = new EventParser();
    parser.feed('<event topic="a">');
    for (let i = 0; i < 64; i++) expect(parser.feed('x'.repeat(64 * 1024))).toEqual([]);
    expect(parser.feed('\n<event topic="b"/>\n')).toEqual([event('b')]);
  });

  const pieces = [
    '<event topic="a">',
    "<event topic='b'/>",
    '</event>',
    '```',
    '~~~',
    '`',
    '\n',
    '\r\n',
    ' ',
    'x',
    '<',
    '>',
    '&lt;',
  ];
  const texts = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 5 })), { maxLength: 40 });

  test('how the text is cut changes nothing, and nothing makes it throw', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(60), { maxLength: 8 }), (parts, cuts) => {
        const text = parts.join('');
        const parser = new EventParser();
        const found = [];
        let from = 0;
        for (const cut of [...cuts].sort((a, b) => a - b)) {
          found.push(...parser.feed(text.slice(from, Math.max(from, cut))));
          from = Math.max(from, Math.min(cut, text.length));
        }
        found.push(...parser.feed(text.slice(from)), ...parser.end());
        expect(found).toEqual(parseEvents(text));
      }),
      { numRuns: 500 },
    );
  });
});

describe('tags that were meant as events and cannot count', () => {
  const mistakes = (text: string) => {
    const parser = new EventParser();
    parser.feed(text);
    parser.end();
    return parser.mistakes;
  };

  test.each([
    ['without quotes', '<event topic=build.done>x</event>', '<event topic=build.done> is no event tag'],
    ['without a topic', '<event>x</event>', '<event> has no topic'],
    ['with another name for it', '<event name="x">y</event>', '<event name="x"> has no topic'],
    ['never closed', '<event topic="x">y', '<event topic="x"> was never closed with </event>'],
    ['opened anew', '<event topic="x">y\n<event topic="z"/>', '<event topic="x"> was never closed with </event>'],
    ['over two lines', '<event\ntopic="x">y</event>', '<event is no event tag'],
    ['in capitals', '<Event topic="x">y</Event>', '<Event topic="x"> is no event tag'],
    ['with a space', '< event topic="x">y</event>', '< event topic="x"> is no event tag'],
    ['with a long topic', `<event topic="${'x'.repeat(300)}"/>`, 'its topic is longer than 200 characters'],
  ])('%s', (_, text, said) => {
    expect(mistakes(text)).toEqual([said]);
  });

  test.each([
    ['a right one', '<event topic="x">y</event>'],
    ['in code', 'like `<event topic=x>` and\n```\n<event>\n```\n'],
    ['other words', '<events> <eventual topic="x"> a < event b <b>event</b> </event>'],
  ])('nothing is said of %s', (_, text) => {
    expect(mistakes(text)).toEqual([]);
  });

  test('the first three are enough, and a line of nothing else is read quickly', () => {
    expect(mistakes('<event a><event b><event c><event d>')).toHaveLength(3);
    const began = performance.now();
    mistakes('`<event x`'.repeat(13_000));
    expect(performance.now() - began).toBeLessThan(2000);
  });
});
