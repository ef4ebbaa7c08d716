/** The named screens of the real programs, one by one: what each of them is, and which keys would answer it. */
import { describe, expect, it } from 'vitest';
import { savedScreen } from '../../../test/recordings/play.js';
import { type Agent, tuiOf, word } from '../../../test/recordings/states.js';
import type { ScreenShot, Verdict } from '../../contract/index.js';
import type { ScreenReading } from '../adapter.js';
import { REST, SCREENS } from './screens.cases.js';

/** Titles were not saved with these. */
function screen(agent: Agent, name: string, title: string): ScreenShot {
  const shot = savedScreen(`./${agent}/screens/${name}.txt`);
  // Later recordings say whether the cursor was shown; before that only codex was known to hide it, past the edge.
  const visible = shot.cursor.visible && (agent !== 'codex' || shot.cursor.x < shot.cols);
  return { ...shot, cursor: { ...shot.cursor, visible }, title };
}

function see(agent: Agent, name: string, sign: string): ScreenReading {
  const tui = tuiOf(agent);
  if (agent === 'codex' && sign !== '')
    tui.osc?.(7501, `state=${sign.replace(':', ':app=codex:kind=')}${sign.includes(':') ? '' : ':app=codex'}`);
  return tui.read(screen(agent, name, agent === 'codex' ? '' : sign));
}

describe('named screens', () => {
  it.each(SCREENS)('%s %s (%s) is %s', (agent, name, sign, expected) => {
    expect(word(see(agent, name, sign))).toBe(expected);
  });
});

const allow: Verdict = { kind: 'allow' };
const deny: Verdict = { kind: 'deny' };
const value = (id: string, ...values: string[]): Verdict => ({ kind: 'values', values: { [id]: values } });
const text = (id: string, own: string): Verdict => ({ kind: 'values', values: { [id]: [own] }, free: [id] });
const DOWN = '\x1b[B';
const UP = '\x1b[A';

describe('what is typed into', () => {
  it.each(SCREENS)('%s %s (%s), %s: only an input box that is there', (agent, name, sign, expected) => {
    const { composer, unread, dialog } = see(agent, name, sign);
    if (name === 'bash-mode') expect(composer).toBeUndefined();
    else if (['ready', 'working', 'retrying'].includes(expected)) expect(composer).toBe(true);
    else expect([expected, composer]).toEqual([expected, undefined]);
    expect(dialog !== undefined && unread !== undefined).toBe(false);
  });

  it('D1: a dialog that is cut off is known to be one, and shown as far as it can be seen', () => {
    for (const [agent, name, sign] of [
      ['gemini', 'gemini-size-40x10.01-approval', '✋  x'],
      ['codex', 'codex-size-40x10.01-approval', 'blocked:permission'],
    ] as const) {
      const { unread, dialog, composer } = see(agent, name, sign);
      expect([dialog, composer]).toEqual([undefined, undefined]);
      expect(unread).toMatch(/Allow for this session|Yes, proceed/);
    }
  });

  it('what is typed after `!` would run: a shell’s box takes no message, with earlier prompts above it either', () => {
    const bang = screen('codex', 'codex-own.02-bang', '');
    for (const [row, line] of [
      [10, '› an earlier prompt'],
      [12, '• and its answer'],
    ] as const)
      bang.lines[row] = line;
    const tui = tuiOf('codex');
    tui.osc?.(7501, 'state=idle:app=codex');
    expect(tui.read(bang)).toEqual({});
    expect(see('gemini', 'gemini-own.02-shellmode', '◇  Ready (x)')).toEqual({ state: 'ready' });
    expect(see('claude', 'bash-mode', REST)).toEqual({ state: 'ready' });
  });

  it('D6: whoever is asked about a plan sees the plan', () => {
    const { dialog } = see('claude', 'plan-approve', REST);
    expect(JSON.stringify(dialog?.inquiry.input)).toContain('1. Add feature X');
    expect(dialog?.keys({ verdict: allow })).toEqual(['2']);
    const tool_input = { plan: '# The plan\n\n1. Add feature X', planFilePath: '/x/plans/a.md' };
    const asked = { hook_event_name: 'PermissionRequest', tool_name: 'ExitPlanMode', tool_input };
    expect(tuiOf('claude').hook?.meaning('PermissionRequest', asked)).toMatchObject({
      inquiry: { tool: 'ExitPlanMode', input: tool_input },
    });
  });

  it('D4: a question in words is no review page, and is answered in words alone', () => {
    const { dialog } = see('gemini', 'gemini-asktext.01-text', '✋  x');
    expect(dialog?.inquiry.questions).toMatchObject([{ text: 'What is the name?', options: [], free_text: true }]);
    expect(dialog?.keys({ verdict: value('question', 'Ada') })).toEqual(['Ada', '\r']);
    expect(dialog?.keys({ verdict: value('question', '') })).toBeUndefined();
    // Somebody has begun to answer in the agent's own terminal.
    const begun = see('gemini', 'gemini-asktext.02-typed', '✋  x').dialog;
    expect([begun?.key, begun?.keys({ verdict: value('question', 'Bob') })]).toEqual([dialog?.key, undefined]);
    expect(see('gemini', 'gemini-asktext.03-two', '✋  x').dialog?.inquiry.questions?.[0]?.text).toBe('Which name?');
    expect(see('gemini', 'gemini-asktext.05-review', '✋  x').dialog?.key).toMatch(/^review/);
  });
});

describe('keys follow the labels on the screen', () => {
  it.each<[Agent, string, string, Verdict, string[] | undefined]>([
    ['claude', 'perm-bash', REST, allow, ['1']],
    ['claude', 'perm-bash', REST, deny, ['3']],
    ['claude', 'perm-bash', REST, { kind: 'allow', input: {} }, undefined],
    ['claude', 'ask-single', REST, value('question', 'MongoDB'), ['3']],
    ['claude', 'ask-single', REST, value('question', '2'), ['2']],
    ['claude', 'ask-single', REST, text('question', '2'), ['4', '2', '\r']],
    ['claude', 'ask-single', REST, value('question', 'CockroachDB'), ['4', 'CockroachDB', '\r']],
    ['claude', 'ask-single', REST, value('question', 'a\rb'), undefined],
    ['claude', 'ask-single', REST, value('question', '1', '2'), undefined],
    ['claude', 'ask-single', REST, value('another', '1'), undefined],
    ['claude', 'ask-single', REST, allow, undefined],
    ['claude', 'ask-single', REST, deny, ['\x1b']],
    ['claude', 'ask-multi', REST, value('question', 'Auth', 'Metrics'), ['1', '3', '\t', '1']],
    ['claude', 'ask-multi-selected', REST, value('question', 'Auth', 'Cache'), ['2', '3', '\t', '1']],
    ['claude', 'ask-multi', REST, value('question', 'something else'), undefined],
    ['claude', 'trust-dialog', '', value('trust-folder', 'Yes, I trust this folder'), ['\r']],
    ['claude', 'trust-dialog', '', value('trust-folder', '2'), [DOWN, '\r']],
    ['claude', 'trust-dialog', '', allow, undefined],
    ['claude', 'apikey-dialog', '', value('api-key', 'Yes'), [UP, '\r']],
    ['claude', 'bypass-warning', '', value('bypass-warning', 'Yes, I accept'), [DOWN, '\r']],
    ['claude', 'mcp-several', '', value('mcp-server', 'one', '3'), [' ', '\r']],
    ['claude', 'mcp-several', '', value('mcp-server', 'one'), [' ', DOWN, ' ', '\r']],
    ['claude', 'mcp-several', '', value('mcp-server', 'two'), [UP, ' ', DOWN, DOWN, ' ', '\r']],
    ['claude', 'mcp-several', '', value('mcp-server', 'four'), undefined],
    ['claude', 'mcp-several', '', deny, ['\x1b']],
    ['claude', 'onboard-security', '', value('security-notes', 'Continue'), ['\r']],
    ['claude', 'model-switch-confirm', REST, value('switch-model', '2'), [DOWN, '\r']],
    ['claude', 'model-dialog', REST, allow, undefined],
    ['claude', 'model-dialog', REST, value('dialog', '1'), undefined],
    ['claude', 'slash-config', REST, deny, undefined],
    ['codex', 'codex-states.04-approval-exec', 'blocked:permission', allow, ['y']],
    ['codex', 'codex-states.04-approval-exec', 'blocked:permission', deny, ['\x1b']],
    ['codex', 'codex-remote-unix.01-untrusted-approval-in-tui', 'blocked:permission', deny, ['\x1b']],
    ['codex', 'codex-ask.02-question-down', 'blocked:question', value('question', 'SQLite'), ['2']],
    [
      'codex',
      'codex-ask.01-question',
      'blocked:question',
      text('question', 'SQLite'),
      [DOWN, DOWN, '\t', 'SQLite', '\r'],
    ],
    [
      'codex',
      'codex-ask.01-question',
      'blocked:question',
      value('question', 'Oracle'),
      [DOWN, DOWN, '\t', 'Oracle', '\r'],
    ],
    ['codex', 'codex-hooktrust.02-down', '', value('hooks-review', 'Review hooks'), [UP, '\r']],
    ['codex', 'codex-nodaemon-trust.01-start', '', value('trust-folder', 'Quit'), [DOWN, '\r']],
    ['gemini', 'gemini-states.04-approval-shell', '✋  x', allow, ['1']],
    ['gemini', 'gemini-states.06-approval-write', '✋  x', deny, ['\x1b']],
    ['gemini', 'gemini-states.08-question', '✋  x', value('question', 'SQLite'), ['2']],
    ['gemini', 'gemini-states.08-question', '✋  x', text('question', '2'), ['3', '2', '\r']],
    ['gemini', 'gemini-states.08-question', '✋  x', value('question', 'Oracle'), ['3', 'Oracle', '\r']],
    ['gemini', 'gemini-firstrun.01-first', '◇  x', value('trust-folder', "Don't trust"), [DOWN, DOWN, '\r']],
  ])('%s %s (%s) %j', (agent, name, sign, verdict, keys) => {
    expect(see(agent, name, sign).dialog?.keys({ verdict })).toEqual(keys);
  });

  it('reads the second option of a dialog that has no third', () => {
    const shot = screen('claude', 'perm-bash', REST);
    const at = shot.lines.findIndex((line) => line.startsWith('   2. Yes'));
    shot.lines.splice(at, 2, '   2. No', '');
    expect(tuiOf('claude').read(shot).dialog?.keys({ verdict: deny })).toEqual(['2']);
    expect(tuiOf('claude').read(shot).dialog?.keys({ verdict: allow })).toEqual(['1']);
  });

  it('shows what the screen shows, but gives rules no command to match', () => {
    const { dialog } = see('claude', 'perm-bash', REST);
    expect(dialog?.inquiry).toMatchObject({ kind: 'run', tool: 'Bash', exclusive: false });
    expect(JSON.stringify(dialog?.inquiry.input)).toContain('touch x.txt');
    expect(dialog?.inquiry.input).not.toHaveProperty('command');
  });

  it('a first-run page is for a person only', () => {
    for (const [agent, name, sign, expected] of SCREENS.filter(([, , , what]) => what.startsWith('first-run'))) {
      expect([expected, see(agent, name, sign).dialog?.inquiry.exclusive]).toEqual([expected, true]);
    }
  });
});

describe('signs beside the screen', () => {
  const claude = tuiOf('claude');

  it.each([
    ['{"status":"idle"}', 'idle'],
    ['{"status":"shell"}', 'idle'],
    ['{"status":"busy"}', 'working'],
    ['{"status":"waiting","waitingFor":"permission prompt"}', 'asking-permission'],
    ['{"status":"waiting","waitingFor":"dialog open"}', 'asking-permission'],
    ['{"status":"waiting","waitingFor":"input needed"}', 'asking-question'],
    ['{"status":"else"}', undefined],
    ['{"status":"wai', undefined],
    ['null', undefined],
    ['', undefined],
  ])('claude’s file %s', (content, state) => {
    expect(claude.status?.(content)).toBe(state);
  });

  it('claude’s file is named by pid', () => {
    expect(claude.statusFile?.(42)).toBe('/home/x/.claude/sessions/42.json');
  });

  it.each<[Agent, number, string, string | undefined]>([
    ['claude', 0, '⠐ title', 'working'],
    ['claude', 0, '✳ title', undefined],
    ['claude', 0, '⠐title', undefined],
    ['claude', 0, `⠐ ${'x'.repeat(5000)}`, undefined],
    ['claude', 0, '◐ title', 'working'],
    ['claude', 7501, 'state=working:app=codex', undefined],
    ['claude', 7501, 'state=working:app=claude-code:msg=UnVu', 'working'],
    ['claude', 7501, 'state=blocked:app=claude-code:kind=permission:msg=YXBw', 'asking-permission'],
    ['claude', 7501, 'state=blocked:app=claude-code:kind=question:msg=YW5z', 'asking-question'],
    ['claude', 7501, 'state=blocked:app=claude-code:kind=else', 'asking-permission'],
    // That it rests is no proof of an input box.
    ['claude', 7501, 'state=idle:app=claude-code', undefined],
    ['claude', 7501, 'state=done:app=claude-code', undefined],
    ['claude', 7501, 'state=clear', undefined],
    ['claude', 7501, '?', undefined],
    ['claude', 7501, `state=working:app=claude-code:msg=${'x'.repeat(50_000)}`, undefined],
    ['codex', 7501, 'state=idle:app=codex', 'ready'],
    ['codex', 7501, 'state=done:app=codex', 'idle'],
    ['codex', 7501, 'state=working:app=codex', 'working'],
    ['codex', 7501, 'state=blocked:app=codex:kind=permission', 'asking-permission'],
    ['codex', 7501, 'state=blocked:app=codex:kind=question', 'asking-question'],
    ['codex', 7501, 'state=clear', undefined],
    ['codex', 7501, 'state=idle:app=other', undefined],
    ['codex', 7501, `state=idle:app=codex${':x=y'.repeat(5000)}`, undefined],
    ['codex', 0, '⠙ dir', 'working'],
    ['codex', 0, 'dir', undefined],
    ['gemini', 0, '✦  Working… (x)', 'working'],
    ['gemini', 0, '✋  Action Required (x)', 'asking-permission'],
    ['gemini', 0, '◇  Ready (x)', undefined],
    ['gemini', 0, `✋  ${'x'.repeat(5000)}`, undefined],
  ])('%s OSC %d %s', (agent, code, text, state) => {
    expect(tuiOf(agent).osc?.(code, text)).toBe(state);
  });
});
