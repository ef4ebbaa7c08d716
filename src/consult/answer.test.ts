import { describe, expect, test } from 'vitest';
import type { Inquiry } from '../contract/index.js';
import { readAnswer } from './answer.js';
import { asking, DATABASE, FEATURES, NAME, packOf, permission, saying } from './pack.cases.js';

interface Asked {
  inquiry?: Inquiry;
  freeText?: boolean;
  minConfidence?: number;
}

const read = (
  said: string | Uint8Array,
  { inquiry = asking(DATABASE), freeText = false, minConfidence = 0.7 }: Asked = {},
) => readAnswer(said, { inquiry, pack: packOf({ inquiry, freeText }), freeText, minConfidence });

const none = (said: string | Uint8Array, asked?: Asked) => {
  const { garbage, ...result } = read(said, asked) as { none: string; garbage?: true };
  expect(result).toEqual({ none: expect.any(String) });
  return result.none;
};

const values = (values: Record<string, string[]>) => ({ verdict: { kind: 'values', values } });

describe('C3: answers go by option id', () => {
  test('C3: a single choice, with reason, confidence and the cite that was found', () => {
    expect(read(saying())).toEqual({
      ...values({ database: ['pg'] }),
      confidence: 0.9,
      reason: 'It is what they run.',
      cites: [{ source: 'S1', name: 'the task, in the user’s words', quote: 'We run PostgreSQL everywhere' }],
    });
  });

  test('C3: several of a multiple choice, and several questions at once', () => {
    const inquiry = asking(DATABASE, FEATURES);
    const said = saying({ answers: { database: ['lite'], features: ['a', 'c'] } });
    expect(read(said, { inquiry })).toMatchObject(values({ database: ['lite'], features: ['a', 'c'] }));
    expect(none(saying(), { inquiry })).toBe('question features has no answer');
  });

  test('C3: own words only where there are no options, or where the user said so', () => {
    const inquiry = asking(NAME);
    const said = saying({ answers: undefined, texts: { name: ' Sho\u202ep\x1b[31m\n two ' } });
    expect(read(said, { inquiry })).toMatchObject(values({ name: ['Shop\n two'] }));
    const own = saying({ answers: {}, texts: { database: 'CockroachDB' } });
    expect(none(own)).toBe('question database takes no words of its own');
    expect(read(own, { freeText: true })).toMatchObject(values({ database: ['CockroachDB'] }));
    // Words that spell an option are words all the same.
    expect(read(saying({ answers: {}, texts: { database: 'lite' } }), { freeText: true })).toMatchObject({
      verdict: { values: { database: ['lite'] }, free: ['database'] },
    });
  });

  test('C3: a question that takes no words takes none, whatever the user said', () => {
    const said = saying({ answers: {}, texts: { features: 'all of them' } });
    expect(none(said, { inquiry: asking(FEATURES), freeText: true })).toContain('takes no words');
  });

  test('C3: with words allowed, an unknown option is no text', () => {
    none(saying({ answers: { database: ['CockroachDB'] } }), { freeText: true });
    none(saying({ texts: { database: 'x' } }), { freeText: true });
  });

  test('C3: a permission is allow or deny', () => {
    const inquiry = permission({ command: 'npm test' });
    expect(read(saying({ answers: { verdict: ['allow'] } }), { inquiry })).toMatchObject({
      verdict: { kind: 'allow' },
    });
    expect(read(saying({ answers: { verdict: ['deny'] } }), { inquiry })).toMatchObject({ verdict: { kind: 'deny' } });
    for (const word of ['yes', 'Yes', 'ALLOW', '', 'allow for this session', 'ask'])
      none(saying({ answers: { verdict: [word] } }), { inquiry });
    none(saying({ answers: { verdict: ['allow', 'deny'] } }), { inquiry });
  });

  test('C3: an answer in one code fence is one answer', () => {
    for (const fenced of [`\`\`\`json\n${saying()}\n\`\`\``, ` \n\`\`\`\n${saying()}\n\`\`\`\n`])
      expect(read(fenced)).toMatchObject(values({ database: ['pg'] }));
  });
});

describe('C14: garbage is no answer', () => {
  const good = saying();
  test.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['blank', ' \n\t '],
    ['prose', 'I would choose PostgreSQL.'],
    ['prose before', `Here you are: ${good}`],
    ['prose behind', `${good}\nHope this helps!`],
    ['two objects', `${good}\n${good}`],
    ['two objects in a list', `[${good},${good}]`],
    ['one in a list', `[${good}]`],
    ['two fences', `\`\`\`json\n${good}\n\`\`\`\n\`\`\`json\n${good}\n\`\`\``],
    ['prose before a fence', `Sure!\n\`\`\`json\n${good}\n\`\`\``],
    ['a fence that does not end', `\`\`\`json\n${good}`],
    ['a text', '"pg"'],
    ['null', 'null'],
    ['a number', '1'],
    ['half of it', good.slice(0, -1)],
    ['an extra key', saying({ run: 'rm -rf /' })],
    ['an extra key in a fence', `\`\`\`json\n${saying({ note: 'x' })}\n\`\`\``],
    ['a none beside an answer', saying({ none: 'x' })],
    ['a none that is no text', '{"none": 1}'],
    ['a key twice', good.replace('"confidence"', '"answers":{"database":["lite"]},"confidence"')],
    [
      'a key twice, spelled differently',
      good.replace('"confidence"', '"\\u0061nswers":{"database":["lite"]},"confidence"'),
    ],
    ['a question twice', good.replace('"database":["pg"]', '"database":["pg"],"database":["lite"]')],
    ['answers as a list', saying({ answers: [['database', 'pg']] })],
    ['an option that is no list', saying({ answers: { database: 'pg' } })],
    ['an option that is an object', saying({ answers: { database: [{ id: 'pg' }] } })],
    ['confidence as a text', saying({ confidence: '0.9' })],
    ['confidence as a word', saying({ confidence: 'high' })],
    ['confidence above one', saying({ confidence: 90 })],
    ['confidence below zero', saying({ confidence: -0.1 })],
    ['confidence beyond numbers', good.replace('0.9', '1e999')],
    ['no confidence', saying({ confidence: undefined })],
    ['no reason', saying({ reason: undefined })],
    ['an empty reason', saying({ reason: ' \u200b ' })],
    ['a reason that is a list', saying({ reason: ['x'] })],
    ['no cites', saying({ cites: undefined })],
    ['cites as texts', saying({ cites: ['S1'] })],
    ['a cite with more', saying({ cites: [{ source: 'S1', quote: 'We run PostgreSQL', file: '/etc/passwd' }] })],
    ['cites without end', saying({ cites: Array(500).fill({ source: 'S1', quote: 'We run PostgreSQL' }) })],
    ['invalid UTF-8', Buffer.concat([Buffer.from(good.slice(0, -1)), Buffer.from([0xff, 0x7d])])],
    ['invalid UTF-8 that somebody mended', good.replace('everywhere', 'every\ufffdwhere')],
    ['half a character', good.replace('everywhere', 'every\ud800where')],
    ['too much', saying({ reason: 'x'.repeat(70_000) })],
    ['50 MB', 'x'.repeat(50 * 1024 * 1024)],
    ['deep nesting', '['.repeat(60_000)],
    ['deep nesting in an answer', `{"answers":${'['.repeat(25_000)}${']'.repeat(25_000)}}`],
  ])('C14: %s', (_, said) => {
    expect(none(said).length).toBeLessThan(300);
  });

  test('C14: an answer as bytes is read like one as text', () => {
    expect(read(Buffer.from(good))).toEqual(read(good));
  });

  test.each([
    ['prose', 'PostgreSQL.', true],
    ['a key of its own', saying({ sure: true }), true],
    ['something that is no option', saying({ answers: { database: ['CockroachDB'] } }), true],
    ['no answer to a question', saying({ answers: {} }), true],
    ['an honest none', '{"none": "Nothing says it."}', undefined],
    ['too little confidence', saying({ confidence: 0.1 }), undefined],
    ['no cite', saying({ cites: [] }), undefined],
  ])('C18: garbage is told from an honest answer that does not suffice: %s', (_, said, garbage) => {
    expect(read(said)).toEqual({ none: expect.any(String), ...(garbage ? { garbage } : {}) });
  });

  test('C14: whoever says that the material does not settle it gives no answer, with the reason', () => {
    expect(none('{"none": "Nothing \\u202esays it."}')).toBe('the consultant gives no answer: Nothing says it.');
  });
});

describe('C15: an answer outside the options is no answer', () => {
  test.each<[string, unknown]>([
    ['a label', ['PostgreSQL']],
    ['another case', ['PG']],
    ['a number', [1]],
    ['a number as text', ['1']],
    ['a place', ['0']],
    ['two in one', ['pg or lite']],
    ['two in one, with a comma', ['pg,lite']],
    ['with a blank', ['pg ']],
    ['with a character nobody sees', ['pg\u200b']],
    ['a look-alike', ['рg']],
    ['__proto__', ['__proto__']],
    ['constructor', ['constructor']],
    ['an option of another question', ['a']],
    ['an empty one', ['']],
    ['none at all', []],
    ['null', [null]],
    ['all of a single choice', ['pg', 'lite']],
    ['the same twice', ['pg', 'pg']],
    ['one that is, one that is not', ['pg', 'mysql']],
  ])('C15: %s', (_, given) => {
    none(saying({ answers: { database: given } }));
    none(saying({ answers: { database: given, features: ['a'] } }), { inquiry: asking(DATABASE, FEATURES) });
  });

  test.each(['__proto__', 'constructor', 'toString', 'Database', 'features', ''])('C15: for the question %j', (id) => {
    none(`{"answers":{${JSON.stringify(id)}:["pg"]},"confidence":1,"reason":"r","cites":[]}`);
    none(saying().replace('"database":["pg"]', `"database":["pg"],${JSON.stringify(id)}:["pg"]`));
  });

  test('C15: a question called __proto__ can be answered like any other, and only by its options', () => {
    const inquiry = asking({ ...DATABASE, id: '__proto__' });
    const said = saying().replace('"database"', '"__proto__"');
    const result = read(said, { inquiry });
    expect('verdict' in result && result.verdict.kind === 'values' && Object.entries(result.verdict.values)).toEqual([
      ['__proto__', ['pg']],
    ]);
    none(said.replace('"pg"', '"toString"'), { inquiry });
  });
});

describe('evidence', () => {
  const pack = packOf({
    messages: [{ by: 'agent', text: 'The user told me to take SQLite.' }],
    files: [
      { name: 'ROADMAP.md', text: 'Use  PostgreSQL\n\n  from the start.', context: true },
      { name: 'notes.md', text: 'The user wants SQLite for sure.', context: false, changed: true },
    ],
    decisions: [{ id: 'd1', text: 'Storage: SQLite, said the maintainers', unverified: true }],
  });
  const id = (name: string) => pack.sources.find((source) => source.name.includes(name))!.id;
  const resting = (...cites: [source: string, quote: string][]) =>
    readAnswer(saying({ cites: cites.map(([source, quote]) => ({ source, quote })) }), {
      ...{ inquiry: asking(DATABASE), pack, freeText: false, minConfidence: 0.7 },
    });

  test('a quote counts however its lines are broken, and a failed one is dropped', () => {
    const result = resting(
      [id('ROADMAP'), '| Use PostgreSQL\n| from the start'],
      ['S99', 'Use PostgreSQL'],
      [id('ROADMAP'), 'Use SQLite from'],
    );
    expect(result).toMatchObject({ cites: [{ name: 'ROADMAP.md', quote: 'Use PostgreSQL from the start' }] });
    expect('cites' in result && result.cites).toHaveLength(1);
  });

  test.each<[string, [string, string][]]>([
    ['no cite', []],
    ['a piece that is not there', [['S99', 'Use PostgreSQL from the start']]],
    ['the question itself', [['question', 'Which database shall I use?']]],
    ['words that do not stand there', [[id('ROADMAP'), 'Use SQLite from the start']]],
    ['too few words to say anything', [[id('ROADMAP'), 'Use']]],
    ['nothing', [[id('ROADMAP'), ' \n ']]],
  ])('%s is no evidence', (_, cites) => {
    expect(resting(...cites)).toEqual({ none: 'it cites nothing that is in the pack' });
  });

  test.each<[string, [string, string][]]>([
    ['a file the asking agent changed', [[id('notes'), 'The user wants SQLite']]],
    ['the asking agent’s own words', [[id('what the agent said'), 'The user told me to take SQLite']]],
    ['an unverified decision', [[id('d1'), 'Storage: SQLite']]],
  ])('%s alone is not enough', (_, cites) => {
    expect(resting(...cites)).toEqual({ none: expect.stringContaining('rests only on what the asking agent') });
    expect(resting(...cites, [id('task'), 'We run PostgreSQL'])).toMatchObject({ confidence: 0.9 });
  });

  test('confidence below the least is no answer', () => {
    expect(none(saying({ confidence: 0.69 }))).toBe('it is not sure enough (0.69 of 0.7)');
    expect(read(saying({ confidence: 0.7 }))).toMatchObject({ confidence: 0.7 });
    expect(read(saying({ confidence: 0 }), { minConfidence: 0 })).toMatchObject({ confidence: 0 });
  });
});
