import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recording } from '../../../test/recordings/play.js';
import type { Settled } from '../adapter.js';
import { ampDelegate } from './amp-delegate.js';
import { claudeHooks } from './claude-hooks.js';
import { previewOf, withheld } from './tool-output.js';

type Json = Record<string, unknown>;
const samples = recording('./claude/hook-stdin.jsonl.gz')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Json);
const sample = (event: string, wanted: (row: Json) => boolean = () => true): Json => {
  const found = samples.find((row) => row.hook_event_name === event && wanted(row));
  if (!found) throw new Error(`no sample of ${event}`);
  return found;
};
const isQuestion = (row: Json) => row.tool_name === 'AskUserQuestion';
const meaning = (payload: Json) => claudeHooks.meaning(String(payload.hook_event_name), payload);
const reply = (payload: Json, settled: Settled) => {
  const { stdout, stderr, exit } = claudeHooks.reply(String(payload.hook_event_name), payload, settled);
  expect([stderr, exit]).toEqual(['', 0]);
  return stdout === '' ? undefined : ((JSON.parse(stdout) as Json).hookSpecificOutput as Json);
};
const allow: Settled = { verdict: { kind: 'allow' } };
const deny: Settled = { verdict: { kind: 'deny' }, reason: 'not in this folder' };

describe('claude’s hooks, as 2.1.197 calls them', () => {
  it.each([
    ['PreToolUse', 'gate'],
    ['PermissionRequest', 'gate'],
    ['PostToolUse', 'gate'],
    ['PostToolUseFailure', 'fact'],
    ['UserPromptSubmit', 'fact'],
    ['Stop', 'fact'],
    ['StopFailure', 'fact'],
    ['SubagentStop', 'fact'],
    ['SessionStart', 'fact'],
    ['SessionEnd', 'fact'],
    ['Notification', 'fact'],
    ['MessageDisplay', 'ignore'],
    ['PreCompact', 'ignore'],
    ['TaskCreated', 'ignore'],
  ])('%s is a %s', (event, kind) => {
    expect(meaning(sample(event)).kind).toBe(kind);
  });

  it('knows every sample', () => {
    expect(samples.length).toBeGreaterThan(25);
    for (const row of samples) expect(() => meaning(row)).not.toThrow();
  });

  it('a call before use is a gate without a dialog; a permission request stands beside one', () => {
    expect(meaning(sample('PreToolUse'))).toEqual({
      kind: 'gate',
      dialog: false,
      inquiry: {
        kind: 'run',
        tool: 'Bash',
        input: { command: 'touch a.txt', description: 'Run the command' },
        editable: true,
        exclusive: false,
        call: 'toolu_mwhhjp210004',
      },
      outputs: [
        {
          kind: 'tool',
          call: 'toolu_mwhhjp210004',
          tool: 'Bash',
          input: { command: 'touch a.txt', description: 'Run the command' },
        },
      ],
    });
    expect(meaning(sample('PermissionRequest'))).toMatchObject({
      kind: 'gate',
      dialog: true,
      inquiry: { tool: 'Bash' },
    });
    expect(meaning(sample('PermissionRequest', isQuestion))).toMatchObject({
      inquiry: {
        kind: 'question',
        questions: [
          { id: 'database', text: 'Which database should I use?', options: [{ id: '1', label: 'PostgreSQL' }, {}, {}] },
        ],
      },
    });
  });

  it('facts: the prompt that was submitted, the end, the failure, the conversation', () => {
    expect(meaning(sample('UserPromptSubmit'))).toMatchObject({ submitted: '[[hello]]', state: 'working' });
    expect(meaning(sample('Stop'))).toMatchObject({
      state: 'idle',
      outputs: [{ kind: 'done', ok: true, text: 'Hello from the fake model.' }],
    });
    expect(meaning(sample('StopFailure'))).toMatchObject({
      state: 'idle',
      outputs: [
        { kind: 'error', fatal: true },
        { kind: 'done', ok: false },
      ],
    });
    const start = sample('SessionStart');
    expect(meaning(start)).toMatchObject({
      conversation: start.session_id,
      transcript: start.transcript_path,
      outputs: [{ kind: 'conversation', id: start.session_id }],
    });
    expect(meaning(sample('SessionEnd', (row) => row.reason === 'clear'))).not.toHaveProperty('state');
    expect(meaning(sample('SessionEnd', (row) => row.reason !== 'clear'))).toMatchObject({ state: 'ended' });
    expect(meaning(sample('Notification'))).toMatchObject({ state: 'asking-permission' });
    expect(meaning(sample('SubagentStop'))).toMatchObject({
      outputs: [{ kind: 'text', text: 'SUB FINAL: from-sub\n', parent: 'a00c25f50f8d5d5f5' }],
    });
    expect(meaning(sample('PostToolUseFailure'))).toMatchObject({
      outputs: [{ kind: 'tool-result', ok: false, text: 'Exit code 1' }],
    });
  });

  it('a result may be held back, but not what a person answered', () => {
    expect(meaning(sample('PostToolUse'))).toMatchObject({
      kind: 'gate',
      dialog: false,
      inquiry: { kind: 'deliver', tool: 'Bash' },
    });
    expect(meaning(sample('PostToolUse', isQuestion))).toMatchObject({ kind: 'fact' });
  });
});

describe('what is printed back', () => {
  it('PreToolUse: allow, deny with the reason, a changed input, and the dialog', () => {
    const payload = sample('PreToolUse');
    expect(reply(payload, allow)).toEqual({ hookEventName: 'PreToolUse', permissionDecision: 'allow' });
    expect(reply(payload, deny)).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'not in this folder',
    });
    expect(reply(payload, { verdict: { kind: 'allow', input: { command: 'ls' } } })).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      updatedInput: { command: 'ls' },
    });
    expect(reply(payload, { verdict: { kind: 'allow', input: 'ls' } })?.permissionDecision).toBe('deny');
    expect(reply(payload, { verdict: { kind: 'values', values: {} } })?.permissionDecision).toBe('deny');
    expect(JSON.parse(claudeHooks.leaveToDialog?.('PreToolUse').stdout ?? '')).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' },
    });
    expect(claudeHooks.leaveToDialog?.('Stop')).toEqual({ stdout: '', stderr: '', exit: 0 });
  });

  it('PermissionRequest: the decision, and the end of the turn where a person pressed stop', () => {
    const payload = sample('PermissionRequest');
    expect(reply(payload, allow)?.decision).toEqual({ behavior: 'allow' });
    expect(reply(payload, deny)?.decision).toEqual({ behavior: 'deny', message: 'not in this folder' });
    expect(reply(payload, { verdict: { kind: 'allow' }, interrupt: true })?.decision).toEqual({
      behavior: 'deny',
      message: 'Denied.',
      interrupt: true,
    });
  });

  it.each(['PreToolUse', 'PermissionRequest'])(
    '%s of a question carries the answers, and a bare allow answers nothing',
    (event) => {
      const payload = sample(event, isQuestion);
      const answers = { 'Which database should I use?': 'MongoDB' };
      const given = reply(payload, { verdict: { kind: 'values', values: { database: ['3'] } } });
      const decided = (event === 'PreToolUse' ? given : given?.decision) as Json;
      expect(decided.updatedInput).toEqual({ ...(payload.tool_input as Json), answers });
      const bare = reply(payload, allow);
      expect(event === 'PreToolUse' ? bare?.permissionDecision : (bare?.decision as Json | undefined)?.behavior).toBe(
        'deny',
      );
    },
  );

  it('a plan is approved with its input, as Claude wants it', () => {
    const payload = { hook_event_name: 'PreToolUse', tool_name: 'ExitPlanMode', tool_input: { plan: 'x' } };
    expect(reply(payload, allow)).toMatchObject({ permissionDecision: 'allow', updatedInput: { plan: 'x' } });
  });

  it('PostToolUse: delivered as it is, or another result of the same shape', () => {
    const payload = {
      ...sample('PostToolUse'),
      tool_response: { stdout: 'secret', stderr: 'too', interrupted: false, isImage: false },
    };
    expect(reply(payload, allow)).toBeUndefined();
    expect(reply(payload, deny)).toEqual({
      hookEventName: 'PostToolUse',
      updatedToolOutput: { stdout: 'not in this folder', stderr: '', interrupted: false, isImage: false },
    });
  });

  it('trouble blocks at a gate, and says nothing where blocking would do harm', () => {
    for (const event of ['PreToolUse', 'PermissionRequest', 'PostToolUse']) {
      expect(claudeHooks.trouble(event, 'no host')).toEqual({ stdout: '', stderr: 'no host\n', exit: 2 });
    }
    for (const event of ['Stop', 'UserPromptSubmit', 'SessionStart'])
      expect(claudeHooks.trouble(event, 'no host').exit).toBe(0);
    expect(claudeHooks.pass('Stop')).toEqual({ stdout: '', stderr: '', exit: 0 });
  });

  it('any payload is understood without throwing, and nameless calls go to a person', () => {
    const events = fc.constantFrom('PreToolUse', 'PermissionRequest', 'PostToolUse', 'Stop', 'SessionStart', 'x');
    fc.assert(
      fc.property(events, fc.jsonValue(), fc.constantFrom(allow, deny), (event, payload, settled) => {
        const meant = claudeHooks.meaning(event, payload);
        const said = claudeHooks.reply(event, payload, settled);
        expect(said.exit).toBe(0);
        if (said.stdout !== '') expect(() => JSON.parse(said.stdout)).not.toThrow();
        if (event === 'PreToolUse')
          expect(meant).toMatchObject({ kind: 'gate', inquiry: { tool: 'unknown', exclusive: true } });
      }),
    );
  });
});

describe('withheld results', () => {
  it('keep their shape and none of their content', () => {
    const read = { type: 'text', file: { filePath: '/a', content: 'secret', numLines: 3 } };
    expect(withheld(read, 'no')).toEqual({ type: 'text', file: { filePath: '', content: 'no', numLines: 3 } });
    expect(withheld('secret', 'no')).toBe('no');
    expect(
      withheld(
        [
          { type: 'text', text: 'secret' },
          { type: 'text', text: 'more' },
        ],
        'no',
      ),
    ).toEqual([
      { type: 'text', text: 'no' },
      { type: 'text', text: '' },
    ]);
    expect(withheld({ a: { b: 'secret' } }, 'no')).toEqual({ a: { b: 'no' } });
    expect(withheld(null, 'no')).toBe(null);
  });

  it('hold the reason once and nothing else, whatever they were', () => {
    const form = new Set(['type', 'status', 'mode', 'media_type', 'mimeType', 'agentId', 'agentType', 'role']);
    const value = fc.dictionary(
      fc.string().filter((key) => !form.has(key) && key !== '__proto__'),
      fc.oneof(fc.string(), fc.array(fc.string()), fc.integer()),
    );
    fc.assert(
      fc.property(value, (response) => {
        const texts = (from: unknown): string[] =>
          typeof from === 'string'
            ? [from]
            : typeof from === 'object' && from !== null
              ? Object.values(from).flatMap(texts)
              : [];
        const left = texts(withheld(response, 'REASON')).filter((text) => text !== '');
        expect(left).toEqual(texts(response).length > 0 ? ['REASON'] : []);
      }),
    );
  });

  it('a preview is what was printed, and bounded', () => {
    expect(previewOf({ stdout: 'out', stderr: 'err' })).toEqual({ text: 'out\nerr', truncated: false });
    expect(previewOf('x'.repeat(5000))).toEqual({ text: 'x'.repeat(4000), truncated: true });
    expect(previewOf(undefined)).toEqual({ text: '', truncated: false });
  });
});

describe('amp’s delegate', () => {
  it('takes the name from the event or from beside the input', () => {
    expect(ampDelegate.meaning('delegate:Bash', { cmd: 'ls' })).toEqual({
      kind: 'gate',
      dialog: false,
      inquiry: { kind: 'run', tool: 'Bash', input: { cmd: 'ls' }, exclusive: false },
    });
    expect(ampDelegate.meaning('delegate:Bash', { tool_name: 'edit_file', tool_input: { path: 'a' } })).toMatchObject({
      inquiry: { tool: 'edit_file', input: { path: 'a' } },
    });
    expect(ampDelegate.meaning('delegate:', 7)).toMatchObject({ inquiry: { tool: 'unknown', exclusive: true } });
  });

  it('answers by exit code: only a plain allow is 0', () => {
    expect(ampDelegate.reply('delegate:Bash', {}, allow)).toEqual({ stdout: '', stderr: '', exit: 0 });
    expect(ampDelegate.reply('delegate:Bash', {}, deny)).toEqual({
      stdout: '',
      stderr: 'not in this folder\n',
      exit: 2,
    });
    expect(ampDelegate.reply('delegate:Bash', {}, { verdict: { kind: 'allow', input: {} } }).exit).toBe(2);
    expect(ampDelegate.reply('delegate:Bash', {}, { verdict: { kind: 'allow' }, interrupt: true }).exit).toBe(2);
    expect(ampDelegate.trouble('delegate:Bash', 'no host')).toEqual({ stdout: '', stderr: 'no host\n', exit: 2 });
    expect(ampDelegate.pass('delegate:Bash').exit).toBe(2);
  });
});
