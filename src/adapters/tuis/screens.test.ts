/** The named screens of the real programs, one by one: what each of them is, and which keys would answer it. */
import { describe, expect, it } from 'vitest';
import { savedScreen } from '../../../test/recordings/play.js';
import { type Agent, tuiOf, word } from '../../../test/recordings/states.js';
import type { ScreenShot, Verdict } from '../../contract/index.js';
import type { ScreenReading } from '../adapter.js';

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

const REST = '✳ Some title';
const WORK = '⠂ Some title';

const SCREENS: [Agent, string, string, string][] = [
  ...[
    'onboard-theme first-run:theme',
    'onboard-apikey first-run:api-key',
    'apikey-dialog first-run:api-key',
    'onboard-security first-run:security-notes',
    'trust-dialog first-run:trust-folder',
    'bypass-warning first-run:bypass-warning',
    'settings-error-dialog first-run:settings-error',
    'config-corrupt-dialog first-run:configuration-error',
    'mcp-several first-run:mcp-server',
  ].map((row): [Agent, string, string, string] => ['claude', row.split(' ')[0] ?? '', '', row.split(' ')[1] ?? '']),
  ...[
    'ready',
    'first-ready',
    'ready-bypass',
    'ready-bypass2',
    'typed',
    'finished',
    'interrupted',
    'interrupted-before-output',
    'error-401-maxretries0',
    'error-500-maxretries0',
    'error-529',
    'error-400-too-long',
    'error-maxtok',
    'api-error',
    'not-logged-in',
    'model-confirm',
    'slash-autocomplete',
    'bash-mode',
    'ctrlc-once',
    'ctrlc-cleared',
    'after-clear',
    'compacted',
    'paste-10k',
    'paste-200k',
    'resumed-after-kill',
    'perm-bash-done',
    'perm-edit-done',
    'slash-context',
    'long-answer-24rows',
    'resized-80x30',
    'ask-answered-by-hook',
  ].map((name): [Agent, string, string, string] => ['claude', name, REST, 'ready']),
  ...[
    'working',
    'tool-running',
    'queued',
    'pretooluse-hook-pending',
    'parallel-hooks-pending',
    'model-dialog-while-working',
  ].map((name): [Agent, string, string, string] => ['claude', name, WORK, 'working']),
  // D6: the title rests already while a dialog is due; the footer, or the line above the box, still says otherwise.
  ['claude', 'working', REST, 'working'],
  ['claude', 'perm-delayed-while-typing', REST, 'asking-permission'],
  ['claude', 'error-500-retrying', WORK, 'retrying'],
  ['claude', 'error-401-retrying', WORK, 'retrying'],
  ['claude', 'error-refused', WORK, 'retrying'],
  ...['perm-bash', 'perm-bash-dontask', 'perm-with-hooks'].map((name): [Agent, string, string, string] => [
    'claude',
    name,
    REST,
    'permission:Bash',
  ]),
  ['claude', 'perm-write', REST, 'permission:Write'],
  ['claude', 'perm-edit', REST, 'permission:Edit'],
  ...['ask-single', 'ask-other', 'ask-multi', 'ask-multi-selected'].map((name): [Agent, string, string, string] => [
    'claude',
    name,
    REST,
    'question:AskUserQuestion',
  ]),
  ['claude', 'ask-multi-review', REST, 'question:review'],
  ['claude', 'model-switch-confirm', REST, 'question:switch-model'],
  ...['model-dialog', 'effort-dialog', 'slash-config', 'slash-status', 'slash-usage', 'slash-cost'].map(
    (name): [Agent, string, string, string] => ['claude', name, REST, 'other:dialog'],
  ),
  // Nothing is claimed about views that are neither box nor dialog, another buffer, or the screen reader's mode.
  ...['transcript-view', 'agents-view', 'suspended-ctrlz', 'ax-ready', 'ax-permission', 'ax-finished'].map(
    (name): [Agent, string, string, string] => ['claude', name, REST, '-'],
  ),
  ['codex', 'codex-firstrun-noconfig.01-first', '', 'first-run:sign-in'],
  ['codex', 'codex-nodaemon-trust.01-start', '', 'first-run:trust-folder'],
  ['codex', 'codex-trust.02-ready', '', 'first-run:trust-folder'],
  ['codex', 'codex-hooktrust.01-start', '', 'first-run:hooks-review'],
  ['codex', 'codex-hooktrust.02-down', '', 'first-run:hooks-review'],
  // The composer shows before the trust page: not ready, whatever it looks like.
  ['codex', 'codex-trust.01-trust', '', '-'],
  ['codex', 'codex-trust.01-trust', 'idle', '-'],
  ...[
    'codex-states.01-ready',
    'codex-states.06-approval-esc',
    'codex-trust.04-sent',
    'codex-no-alt-screen.01-inline',
    'codex-paste.01-bigpaste',
  ].map((name): [Agent, string, string, string] => ['codex', name, 'idle', 'ready']),
  ...[
    'codex-states.03-finished',
    'codex-states.05-after-y',
    'codex-update.01-update',
    'codex-readonly-shell.01-shell',
  ].map((name): [Agent, string, string, string] => ['codex', name, 'done', 'ready']),
  ...['codex-states.02-working-thinking', 'codex-states.07-working-shell', 'codex-trust.06-working'].map(
    (name): [Agent, string, string, string] => ['codex', name, 'working', 'working'],
  ),
  ['codex', 'codex-states.08-interrupted-esc', 'working', 'ready'],
  ...[
    'codex-states.04-approval-exec',
    'codex-remote-tui.01-approval-both',
    'codex-remote-unix.01-untrusted-approval-in-tui',
  ].map((name): [Agent, string, string, string] => ['codex', name, 'blocked:permission', 'permission:shell']),
  ...[
    'codex-ask.01-question',
    'codex-ask.02-question-down',
    'codex-ask.04-question-multi',
    'codex-ask.05-question-multi-2',
    'codex-ask.08-q',
  ].map((name): [Agent, string, string, string] => ['codex', name, 'blocked:question', 'question:request_user_input']),
  // The person writes notes: the dialog is theirs.
  ['codex', 'codex-ask.06-question-multi-notes', 'blocked:question', 'asking-question'],
  ['codex', 'codex-states.11-exit', '', '-'],
  ['gemini', 'gemini-firstrun.01-first', '◇  Ready (x)', 'first-run:trust-folder'],
  ...['02-second', '03-third', '04-ctrlc1'].map((name): [Agent, string, string, string] => [
    'gemini',
    `gemini-firstrun.${name}`,
    '◇  Ready (x)',
    'first-run:sign-in',
  ]),
  ...[
    '01-ready',
    '03-finished',
    '05-after-allow-once',
    '07-approval-esc',
    '10-question-answered',
    '12-cancelled-esc',
    '13-api-error-401',
  ].map((name): [Agent, string, string, string] => ['gemini', `gemini-states.${name}`, '◇  Ready (x)', 'ready']),
  ['gemini', 'gemini-paste.01-bigpaste', '◇  Ready (x)', 'ready'],
  ...['02-working-thinking', '11-working-shell'].map((name): [Agent, string, string, string] => [
    'gemini',
    `gemini-states.${name}`,
    '✦  Working… (x)',
    'working',
  ]),
  ['gemini', 'gemini-states.04-approval-shell', '✋  Action Required (x)', 'permission:Shell'],
  ['gemini', 'gemini-hook-exit1.01-x', '✋  Action Required (x)', 'permission:Shell'],
  ['gemini', 'gemini-states.06-approval-write', '✋  Action Required (x)', 'permission:WriteFile'],
  ['gemini', 'gemini-states.08-question', '✋  Action Required (x)', 'question:ask_user'],
  ['gemini', 'gemini-states.14-quit', '', '-'],
  // D4: its title says "Ready", and its box leaves one column free on the left only.
  ['gemini', 'gemini-loop-dialog.01-loop-dialog', '◇  Ready (x)', 'question:loop-detected'],
  ...['01-text', '02-typed', '03-two', '04-choice', '05-review'].map((name): [Agent, string, string, string] => [
    'gemini',
    `gemini-asktext.${name}`,
    '✋  Action Required (x)',
    'question:ask_user',
  ]),
  ['gemini', 'gemini-large.01-write', '✋  Action Required (x)', 'permission:WriteFile'],
  // What a person has opened inside it: pickers, the search in what was said, a shell's box.
  ['gemini', 'gemini-own.05-theme', '◇  Ready (x)', '-'],
  ['gemini', 'gemini-own.06-model', '◇  Ready (x)', 'other:dialog'],
  ['gemini', 'gemini-own.08-search', '◇  Ready (x)', '-'],
  ...['02-bang', '04-model', '05-permissions'].map((name): [Agent, string, string, string] => [
    'codex',
    `codex-own.${name}`,
    'idle',
    '-',
  ]),
  // D1: the box is cut off at its top; where the heading is still there, it is read.
  ['gemini', 'gemini-size-40x10.01-approval', '✋  Action Required (x)', 'asking-permission'],
  ['gemini', 'gemini-size-40x10.02-typed', '✋  Action Required (x)', 'permission:Shell'],
  ['codex', 'codex-size-40x10.01-approval', 'blocked:permission', 'asking-permission'],
  ['codex', 'codex-size-40x10.02-esc', 'idle', 'ready'],
  ['claude', 'plan-approve', REST, 'permission:ExitPlanMode'],
  ['claude', '43-40x10.01-approval', REST, '-'],
  ['claude', '43-40x10.03-esc', REST, 'ready'],
];

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
