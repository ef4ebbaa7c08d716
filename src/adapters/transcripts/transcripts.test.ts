/** The agents' own transcripts, recorded from the real programs: what a person would call the conversation, once. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentOutput } from '../../contract/index.js';
import { claudeTranscript } from './claude.js';
import { codexTranscript, isCodexRollout } from './codex.js';
import { geminiTranscript, isGeminiChat } from './gemini.js';
import type { TranscriptReader } from './tail.js';

const recorded = (agent: string, name: string): Buffer =>
  readFileSync(join(import.meta.dirname, '../../../test/recordings', agent, 'transcripts', `${name}.jsonl`));

const READERS: Record<string, { make: () => TranscriptReader; file: Buffer }> = {
  claude: { make: claudeTranscript, file: recorded('claude', 'sample') },
  'claude 2.1.325': { make: claudeTranscript, file: recorded('claude-2.1.325', 'sample') },
  'claude with sub-agents': { make: claudeTranscript, file: recorded('claude', 'with-subagents') },
  codex: { make: codexTranscript, file: recorded('codex', 'rollout') },
  gemini: { make: geminiTranscript, file: recorded('gemini', 'chat') },
};

function readAll(reader: TranscriptReader, bytes: Uint8Array): AgentOutput[] {
  return [...reader.file().feed(bytes), ...reader.flush()];
}

const lines = (rows: object[]): Buffer => Buffer.from(rows.map((one) => `${JSON.stringify(one)}\n`).join(''));

/** One line per output, for reading and comparing. */
const story = (outputs: AgentOutput[]): string[] =>
  outputs.flatMap((one) => {
    switch (one.kind) {
      case 'prompt':
        return [`> ${one.text}`];
      case 'text':
        return [`${one.parent ? '  ' : ''}${one.text.trim().slice(0, 40)}`];
      case 'tool':
        return [`${one.parent ? '  ' : ''}● ${one.tool}`];
      case 'tool-result':
        return [`${one.parent ? '  ' : ''}${one.ok ? '✓' : '✗'} ${one.text.split('\n')[0]!.slice(0, 40)}`];
      case 'error':
        return [`! ${one.message.slice(0, 40)}`];
      default:
        return [];
    }
  });

describe('a recorded conversation', () => {
  it('claude 2.1.325: the rows it keeps about its requests are no part of it, and no row is unknown', () => {
    const reader = claudeTranscript();
    const told = story(readAll(reader, recorded('claude-2.1.325', 'sample')));
    expect(reader.unknown).toBe(0);
    expect(told.filter((line) => line.startsWith('>'))).toEqual([
      '> [[hello]]',
      '> [[bash:touch a.txt]]',
      '> [[bashnd:false]]',
      '> [[ask1]]',
      '> [[agent]]',
      '> [[todo]]',
      '> [[e400b]]',
      '> /compact',
    ]);
    expect(told.filter((line) => line.startsWith('●'))).toEqual([
      '● Bash',
      '● Bash',
      '● AskUserQuestion',
      '● Agent',
      '● TaskCreate',
    ]);
  });

  it('claude: prompts as typed, queued, run in the shell; answers, tools, an API error', () => {
    const told = story(readAll(claudeTranscript(), recorded('claude', 'sample')));
    expect(told.filter((line) => line.startsWith('>'))).toEqual([
      '> [[stream:20]] hi',
      '> [[bash:sleep 2; echo done]]',
      '> [[ask1]]',
      '> multi\nline\nprompt\n4\n5',
      '> [[slow:9]] esc me',
      '> [[stream:100]] esc me mid',
      '> [[slow:3]] q',
      '> queued one',
      '> !echo hi',
      '> [[e400b]]',
    ]);
    expect(told).toContain('● Bash');
    expect(told).toContain('✓ done');
    expect(told).toContain('● AskUserQuestion');
    expect(told.filter((line) => line.startsWith('!'))).toEqual(['! Credit balance is too low']);
    expect(told.join('\n')).not.toContain('interrupted by user');
  });

  it('claude: sub-agents in files of their own are nested under their name', () => {
    const reader = claudeTranscript();
    const main = story(readAll(reader, recorded('claude', 'with-subagents')));
    expect(main).toEqual(['> [[agents]]', '● Agent', '● Agent', '✓ B fin', '✓ A fin', 'both done']);
    const a = readAll(reader, recorded('claude', 'subagent-a'));
    expect(story(a)).toEqual(['  ● Bash', expect.stringMatching(/^ {2}✓ /), '  A fin']);
    const parents = a.flatMap((one) => ('parent' in one ? [one.parent] : []));
    expect(new Set(parents)).toEqual(new Set(['a3123c53a21c06fe9']));
  });

  it('codex: what was typed, not what codex says in the person’s name; a refused command and an error', () => {
    const outputs = readAll(codexTranscript(), recorded('codex', 'rollout'));
    expect(story(outputs)).toEqual([
      '> first prompt',
      'I will look.',
      '● exec_command',
      '✓ hello from tool',
      'It said so.',
      '> second prompt\nwith two lines',
      'Second answer.',
      '● exec_command',
      expect.stringMatching(/^✗ .*: line 1: /),
      'Third.',
      '> yask me',
      '● request_user_input',
      '✓ {"answers":{"q1":{"answers":["Azure"]}}}',
      'Thank you.',
      '> fail please',
      expect.stringMatching(/^! We’re currently experiencing/),
      '> go on',
      'Never mind.',
    ]);
    expect(outputs[0]).toEqual({ kind: 'conversation', id: '01a1decc-b5e2-7fa1-b6bc-7b28331faf1a' });
    expect(outputs.findLast((one) => one.kind === 'usage')).toMatchObject({ inputTokens: 1400, outputTokens: 175 });
  });

  it('gemini: a message written again adds what is new in it, and only that', () => {
    const outputs = readAll(geminiTranscript(), recorded('gemini', 'chat'));
    expect(story(outputs)).toEqual([
      '> first prompt',
      'I will look.',
      '● run_shell_command',
      '✓ Output: hello from tool',
      'It said so.',
      '> 1second prompt\nwith two lines',
      'Second answer.',
      '● write_file',
      expect.stringMatching(/^✓ Successfully created/),
      'Third.',
      '> ask me',
      '● ask_user',
      '✓ {"answers":{"0":"Azure"}}',
      'Thank you.',
      '> fail please',
      'Never mind.',
      '> go on',
      'The scenario is over.',
    ]);
  });
});

describe.each(Object.entries(READERS))('%s', (_name, { make, file }) => {
  const whole = readAll(make(), file);

  it('is read the same however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 60 }), (sizes) => {
        const reader = make();
        const one = reader.file();
        const outputs: AgentOutput[] = [];
        let at = 0;
        for (let index = 0; at < file.length; index += 1) {
          const size = sizes[index % sizes.length]!;
          outputs.push(...one.feed(file.subarray(at, at + size)));
          at += size;
        }
        expect([...outputs, ...reader.flush()]).toEqual(whole);
      }),
      { numRuns: 25 },
    );
  });

  it('read again – a copy, a fork, a file begun anew – it says nothing twice', () => {
    const reader = make();
    readAll(reader, file);
    expect(story(readAll(reader, file))).toEqual([]);
  });

  it('what was there before this launch is known and not told; what follows is', () => {
    const cut = file.indexOf(0x0a, Math.floor(file.length / 2)) + 1;
    const reader = make();
    const one = reader.file();
    expect(one.feed(file.subarray(0, cut), { history: true })).toEqual([]);
    const rest = story([...one.feed(file.subarray(cut)), ...reader.flush()]);
    expect(rest).toEqual(story(whole).slice(-rest.length));
    expect(rest.length).toBeGreaterThan(0);
  });

  it('garbage, torn lines and unknown records are counted and cost nothing else', () => {
    const reader = make();
    const torn = Buffer.concat([
      Buffer.from('not json\n{"type":"of-tomorrow","payload":{"type":"x"}}\n[1]\n{"half":'),
      Buffer.from('\n'),
      file,
    ]);
    expect(readAll(reader, torn)).toEqual(whole);
    expect(reader.unknown).toBeGreaterThanOrEqual(3);
  });
});

describe('order', () => {
  const at = (n: number) => ({ timestamp: `2026-01-01T00:00:0${n}.000Z` });
  const prompt = { type: 'user', uuid: 'u', parentUuid: null, message: { content: 'hi' }, ...at(0) };
  const reply = (uuid: string, parentUuid: string, text: string) => ({
    type: 'assistant',
    uuid,
    parentUuid,
    message: { id: uuid, model: 'm', content: [{ type: 'text', text }] },
    ...at(1),
  });

  it('claude: children before their parents come after them', () => {
    const rows = [reply('b', 'a', 'two'), reply('a', 'u', 'one'), prompt];
    expect(story(readAll(claudeTranscript(), lines(rows)))).toEqual(['> hi', 'one', 'two']);
  });

  it('claude: any order of the rows gives the same conversation', () => {
    const rows = [prompt, reply('a', 'u', 'one'), reply('b', 'a', 'two'), reply('c', 'b', 'three')];
    fc.assert(
      fc.property(fc.shuffledSubarray(rows, { minLength: rows.length }), (shuffled) => {
        expect(story(readAll(claudeTranscript(), lines(shuffled)))).toEqual(['> hi', 'one', 'two', 'three']);
      }),
    );
  });

  it('claude: a parent that never comes holds nothing back for ever', () => {
    const reader = claudeTranscript();
    expect(reader.file().feed(lines([reply('a', 'lost', 'one')]))).toEqual([]);
    expect(story(reader.flush())).toEqual(['one']);
  });

  it('claude: rows of a fork that are older than the launch are not told', () => {
    const since = Date.parse('2026-01-01T00:00:01.000Z');
    expect(story(readAll(claudeTranscript({ since }), lines([prompt, reply('a', 'u', 'one')])))).toEqual(['one']);
  });

  it('claude: slash commands as typed; what Claude says in the person’s name is nobody’s prompt', () => {
    const said = (uuid: string, content: string, more = {}) => ({ type: 'user', uuid, message: { content }, ...more });
    const rows = [
      said(
        '1',
        '<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args>sonnet</command-args>',
      ),
      said('2', '<local-command-stdout>Set model</local-command-stdout>'),
      said('3', 'Caveat: …', { isMeta: true }),
      said('4', 'This session is being continued …', { isCompactSummary: true }),
      said('5', '[Request interrupted by user for tool use]'),
    ];
    expect(story(readAll(claudeTranscript(), lines(rows)))).toEqual(['> /model sonnet']);
  });

  it('gemini: the last version of a message wins; a text that was replaced is told anew', () => {
    const message = (content: string) => ({ id: 'm', type: 'gemini', content });
    const texts = (rows: object[]) => readAll(geminiTranscript(), lines(rows)).map((one) => 'text' in one && one.text);
    expect(texts([message('one'), message('one two')])).toEqual(['one\n', ' two\n']);
    expect(texts([message('one'), message('other')])).toEqual(['one\n', 'other\n']);
    expect(texts([message('one'), { $set: { messages: [message('one')] } }])).toEqual(['one\n']);
  });
});

describe('whose file it is', () => {
  const meta = (more: object) =>
    JSON.stringify({
      type: 'session_meta',
      payload: { source: 'cli', cwd: '/p', timestamp: '2026-01-01T00:00:01Z', ...more },
    });
  const about = { cwd: '/p', since: Date.parse('2026-01-01T00:00:00Z') };
  it.each([
    ['its folder, its time', meta({}), true],
    ['another folder', meta({ cwd: '/q' }), false],
    ['an older conversation', meta({ timestamp: '2025-12-31T00:00:00Z' }), false],
    ['a sub-agent’s', meta({ source: { subagent: 'review' } }), false],
    ['one of its server’s', meta({ source: 'vscode' }), false],
    ['half a line', '{"type":"session_meta","pay', false],
  ])('codex: %s', (_what, head, own) => expect(isCodexRollout(head, about)).toBe(own));

  it('codex with its server: the server’s', () => {
    const served = { ...about, source: 'vscode' as const };
    expect(isCodexRollout(meta({ source: 'vscode' }), served)).toBe(true);
    expect(isCodexRollout(meta({}), served)).toBe(false);
  });

  it.each([
    ['{"sessionId":"a","kind":"main"}', true],
    ['{"sessionId":"a","kind":"subagent"}', false],
    ['{"sessionId":"b"}', false],
    ['{"sess', false],
  ])('gemini: %s', (head, own) => expect(isGeminiChat(head, 'a')).toBe(own));
});
