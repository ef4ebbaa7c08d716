import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Inquiry } from '../../contract/index.js';
import { around, inquiryOf, keysOf, play, textRows } from './ask.cases.js';
import { editedInFile, permission, permissionView, pressPermission } from './permission.js';

const RULE = 'Bash(npm test:*)';
const start = (inquiry: Inquiry = inquiryOf(), more: { rule?: string; hasEditor?: boolean } = {}) =>
  permission(inquiry, { rule: RULE, hasEditor: false, ...more });
const given = (reads: string[], state = start()) => {
  const { does } = play(state, reads, pressPermission);
  return does?.do === 'answer' ? does.given : does;
};
const shown = (state: ReturnType<typeof start>, columns = 100, rows = 24) =>
  textRows(permissionView(state, around(columns, rows)));

describe('keys of a permission', () => {
  test.each<[string, string[], unknown]>([
    ['y allows', ['y'], { words: ['allow'] }],
    ['s allows for the session', ['s'], { words: ['allow'], scope: 'session' }],
    ['n denies', ['n'], { words: ['deny'] }],
    ['r denies with a reason', ['r', 'not ', 'now', '\r'], { words: ['deny'], reason: 'not now' }],
    ['r and Enter alone denies', ['r', '\r'], { words: ['deny'] }],
    ['y after going back from a reason', ['r', 'x', 'Esc', 'y'], { words: ['allow'] }],
    [
      'e edits the command',
      ['e', '\x17', '--run', '\r'],
      { input: { command: 'npm test -- --run', description: 'run the tests' } },
    ],
    ['Esc leaves the edit', ['e', 'x', 'Esc', 'n'], { words: ['deny'] }],
    ['an emptied command is not run', ['e', '\x15', '\r'], undefined],
    ['Enter is no answer', ['\r', '\n', '\r'], undefined],
    ['space, arrows, Esc and other letters are none', [' ', '\x1b[A', 'Esc', 'x', 'o', '\t'], undefined],
    ['a paste is none', ['yes', 'y\r', 'yy'], undefined],
    ['a paste with Enter does not send a reason', ['r', 'because\r'], undefined],
    ['y inside details is none', ['?', 'y'], undefined],
    ['details and back', ['?', 'q', 'y'], { words: ['allow'] }],
  ])('%s', (_name, reads, answer) => {
    expect(given(reads)).toEqual(answer);
  });

  test.each<[string, ReturnType<typeof start>, string[]]>([
    ['no rule: nothing to allow for the session', permission(inquiryOf(), { hasEditor: false }), ['s']],
    ['not editable', start(inquiryOf({ editable: false })), ['e', '\r']],
    [
      'a result cannot be edited',
      start(inquiryOf({ kind: 'deliver', result: { text: 'x', truncated: false } })),
      ['e', '\r'],
    ],
  ])('%s', (_name, state, reads) => {
    expect(given(reads, state)).toBeUndefined();
    expect(shown(state).join('\n')).not.toContain(`[${reads[0]}]`);
  });

  test('other inputs are edited as JSON; what is no JSON, or no object, is told and edited on', () => {
    const state = start(inquiryOf({ tool: 'WebFetch', input: { url: 'http://a' } }));
    const broken = play(state, ['e', '\x7f', '\r'], pressPermission);
    expect(broken.does).toBeUndefined();
    expect(broken.state).toMatchObject({ mode: 'edit', note: expect.stringMatching(/^not valid JSON: /) });
    expect(play(broken.state, ['}', '\r'], pressPermission).does).toMatchObject({
      given: { input: { url: 'http://a' } },
    });
    expect(play(broken.state, ['\x15', '[1]', '\r'], pressPermission).state.note).toBe(
      'the tool expects an object here',
    );
  });

  test('several lines go to the editor, and what comes back still has to be allowed', () => {
    const input = { command: 'set -e\nnpm test' };
    const state = start(inquiryOf({ input }), { hasEditor: true });
    const { does } = play(state, ['e'], pressPermission);
    expect(does).toEqual({ do: 'edit-file', text: 'set -e\nnpm test\n', suffix: '.sh' });
    const edited = editedInFile(state, { text: 'npm run lint\n' });
    expect(shown(edited).join('\n')).toMatch(/Bash: npm run lint\n.*edited/s);
    expect(shown(edited).join('\n')).not.toContain('[s]');
    expect(given(['s', 'y'], edited)).toEqual({ input: { command: 'npm run lint' } });
    expect(editedInFile(state, { text: 'set -e\nnpm test\n' })).toMatchObject({
      edited: false,
      note: 'nothing was changed',
    });
    expect(editedInFile(state, { problem: 'the editor ended with 1' })).toMatchObject({ edited: false });
  });

  test('without an editor several lines are edited in one, breaks kept', () => {
    const state = start(inquiryOf({ input: { command: 'set -e\nnpm test' } }));
    expect(given(['e', '!', '\r'], state)).toEqual({ input: { command: 'set -e\nnpm test!' } });
  });

  test('JSON broken in the editor is edited on from there', () => {
    const state = start(inquiryOf({ tool: 'Write', input: { path: 'a', content: 'x\ny' } }), { hasEditor: true });
    const broken = editedInFile(state, { text: '{"path": "b"' });
    expect(broken.note).toMatch(/not valid JSON.*e edits again/);
    expect(play(broken, ['e'], pressPermission).does).toEqual({
      do: 'edit-file',
      text: '{"path": "b"',
      suffix: '.json',
    });
  });

  test('only y, s and an edit’s Enter allow: nothing else ever does', () => {
    const reads = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }), { maxLength: 12 });
    fc.assert(
      fc.property(reads, (all) => {
        const safe = all.filter((read) => !/[yse]/i.test(read));
        const answer = given(safe) as { words?: string[] } | undefined;
        expect(answer === undefined || answer.words?.[0] === 'deny').toBe(true);
      }),
    );
  });
});

describe('how a permission looks', () => {
  test('short and clear', () => {
    expect(shown(start(), 140)).toEqual([
      'claude asks · k7f2m9qd.3',
      'Bash: npm test -- --watch',
      '  description: run the tests',
      '[y] allow  [s] allow for this session: Bash(npm test:*)  [n] deny  [r] deny with a reason  [e] edit  [?] details',
    ]);
  });

  test('keys wrap as wholes', () => {
    const rows = shown(start(), 60);
    expect(rows.slice(3)).toEqual([
      '[y] allow  [s] allow for this session: Bash(npm test:*)',
      '[n] deny  [r] deny with a reason  [e] edit  [?] details',
    ]);
  });

  test('long input is cut and says so; details show all of it, page by page', () => {
    const command = Array.from({ length: 40 }, (_, at) => `echo ${at}`).join('\n');
    const state = start(inquiryOf({ input: { command } }));
    const rows = shown(state, 100, 24);
    expect(rows).toContain('… 29 more lines, ? shows all');
    expect(rows.length).toBeLessThan(24);
    const seen = new Set<string>();
    let page = play(state, ['?'], pressPermission).state;
    for (let turn = 0; turn < 4; turn++) {
      const view = shown(page, 100, 24);
      expect(view.length).toBeLessThan(24);
      for (const row of view) seen.add(row.trim().replace(/^Bash: /, ''));
      page = play(page, [' '], pressPermission).state;
    }
    for (let at = 0; at < 40; at++) expect(seen).toContain(`echo ${at}`);
  });

  test('R12: neither blank lines nor blanks push the end of a command out of sight', () => {
    const hiding = (command: string) => shown(start(inquiryOf({ input: { command } }))).join('\n');
    expect(hiding(`ls${'\n'.repeat(61)}rm -rf ~`)).toMatch(/⋯ 60 blank lines\n.*rm -rf ~/);
    expect(hiding(`ls${'\n \t'.repeat(60)}\nrm -rf ~`)).toMatch(/⋯ 60 blank lines\n.*rm -rf ~/);
    expect(hiding(`ls ${' '.repeat(5000)}; rm -rf ~`)).toMatch(/⋯ 5001 blanks ⋯ +; rm -rf ~/);
    expect(hiding(`ls${'\u00a0'.repeat(5000)}; rm -rf ~`)).toContain('rm -rf ~');
    expect(hiding('a\n\nb')).not.toContain('blank');
  });

  test('a tool’s name or a rule that looks like our keys does not stand where they stand', () => {
    const state = start(inquiryOf({ tool: '[y] deny  [n] allow', input: {} }), { rule: 'Bash([y] deny)' });
    const rows = shown(state);
    expect(rows[1]).toBe('“[y] deny  [n] allow”');
    expect(rows[2]).toBe('  s would allow: Bash([y] deny)');
    expect(rows[3]).toMatch(/^\[y\] allow {2}\[s\] allow for this session {2}\[n\] deny/);
  });

  test('no row of outside text begins like a row of keys', () => {
    const nasty = fc.constantFrom('[y] allow', '\r\n', '\n', '\x1b[2J', '┃ ', '\u202e', ' ', 'x'.repeat(50));
    fc.assert(
      fc.property(fc.array(nasty, { maxLength: 30 }), fc.integer({ min: 20, max: 120 }), (parts, columns) => {
        const text = parts.join('');
        const state = permission(inquiryOf({ input: { command: text, [text]: text }, reason: text, editable: false }), {
          hasEditor: false,
        });
        const keyRows = shown(state, columns).filter((row) => row.startsWith('['));
        const honest = shown(permission(inquiryOf({ editable: false }), { hasEditor: false }), columns).filter((row) =>
          row.startsWith('['),
        );
        expect(keyRows).toEqual(honest);
      }),
    );
  });

  test('a result to deliver', () => {
    const state = permission(inquiryOf({ kind: 'deliver', result: { text: 'one\ntwo', truncated: true } }), {
      hasEditor: false,
    });
    expect(shown(state).slice(1)).toEqual([
      'Bash has a result. May the agent read it?',
      '  one',
      '  two',
      '  (only its beginning is known here)',
      '[y] allow  [n] deny  [r] deny with a reason  [?] details',
    ]);
  });

  test.each([
    [20, 5],
    [40, 8],
    [300, 100],
  ])('fits a terminal of %i×%i in every mode', (columns, rows) => {
    const input = { command: 'x '.repeat(2000), more: 'y\n'.repeat(50) };
    for (const read of ['', 'r', 'e', '?']) {
      const { state } = play(start(inquiryOf({ input })), read ? [read] : [], pressPermission);
      expect(shown(state, columns, rows).length).toBeLessThanOrEqual(rows - 1);
    }
  });

  test('where the rule cannot be shown it cannot be given', () => {
    const small = around(30, 8);
    const [key] = keysOf(['s']);
    expect(pressPermission(start(), key!, small).does).toBeUndefined();
    expect(pressPermission(start(), key!, around()).does).toMatchObject({ given: { scope: 'session' } });
  });
});
