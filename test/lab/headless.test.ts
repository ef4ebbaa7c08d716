import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { LabAgent } from '../../src/testing/index.js';
import { Bench } from './bench.cases.js';
import { AGENTS } from './support.js';

const HEADLESS: Record<LabAgent, (prompt: string) => string[]> = {
  claude: (prompt) => ['-p', '--verbose', '--output-format', 'stream-json', '--dangerously-skip-permissions', prompt],
  codex: (prompt) => ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
  gemini: (prompt) => ['--approval-mode', 'yolo', '--skip-trust', '-o', 'stream-json', '-p', prompt],
};

let bench: Bench | undefined;
afterEach(async () => {
  await bench?.close();
  bench = undefined;
});

/** The assistant's words of all three formats, in one string. */
function words(out: string): string {
  return out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .map((row) => {
      if (row.type === 'assistant')
        return row.message.content.map((block: { text?: string }) => block.text ?? '').join('');
      if (row.type === 'item.completed' && row.item.type === 'agent_message') return row.item.text;
      return row.type === 'message' && row.role === 'assistant' ? row.content : '';
    })
    .join('');
}

describe.each(AGENTS)('%s, headless', (agent) => {
  it('plays a scenario: thinking, text, a command, a file, the result of a tool', async () => {
    bench = await Bench.open(
      agent,
      `turns:
         - {thinking: let me see, text: "I will run a command. ", bash: echo labbed > a.txt; echo seen-it}
         - {when: do the thing, text: "Now a file. ", write: {path: b.txt, content: "hello 漢字\\n"}}
         - {text: "All done: LOOP_COMPLETE"}`,
    );
    const { code, out } = await bench.run(HEADLESS[agent]('do the thing'));
    expect(code).toBe(0);
    expect(words(out)).toBe('I will run a command. Now a file. All done: LOOP_COMPLETE');
    expect(readFileSync(join(bench.cwd, 'a.txt'), 'utf8')).toBe('labbed\n');
    expect(readFileSync(join(bench.cwd, 'b.txt'), 'utf8')).toBe('hello 漢字\n');
    const { main, left, strangers } = bench.server;
    expect(main.map(({ prompt }) => prompt)).toEqual(Array(3).fill('do the thing'));
    expect(main[1]?.result).toContain('seen-it');
    expect({ left, strangers }).toEqual({ left: 0, strangers: [] });
  });

  it('two calls in one turn are two calls', async () => {
    bench = await Bench.open(
      agent,
      'turns: [{blocks: [{bash: echo one > one.txt}, {bash: echo two > two.txt}]}, {text: both}]',
    );
    const { out } = await bench.run(HEADLESS[agent]('go'));
    expect(words(out)).toBe('both');
    for (const name of ['one', 'two']) expect(readFileSync(join(bench.cwd, `${name}.txt`), 'utf8')).toBe(`${name}\n`);
  });

  it.each(['401', '429', '500', '529', 'usage-limit'])('error %s is an error to the agent', async (error) => {
    bench = await Bench.open(agent, `turns: [{error: ${error}, message: the lab says no, times: always}]`);
    const { code, out } = await bench.run(HEADLESS[agent]('go'));
    expect(code).not.toBe(0);
    expect(out).toMatch(/"is_error":true|turn\.failed|"status":"error"/);
    expect(bench.server.main.length).toBeGreaterThan(0);
  });

  it('a cut stream never becomes a success with the whole text', async () => {
    bench = await Bench.open(agent, 'turns: [{text: "half a sen", cut: true, times: always}]');
    const { code, out } = await bench.run(HEADLESS[agent]('go'));
    const succeeded = /"type":"result"[^\n]*("is_error":false|"status":"success")|turn\.completed/.test(out);
    expect({ code, succeeded }).not.toEqual({ code: 0, succeeded: true });
  });
});

describe('claude, with a helper', () => {
  it('a sub-agent plays its own turns; the conversation goes on where it was', async () => {
    bench = await Bench.open(
      'claude',
      [
        'turns:',
        // Said aloud: since 2.1.325 a helper works in the background unless told otherwise.
        '  - tool: {name: Agent, input: {description: Help, prompt: help, subagent_type: general-purpose, run_in_background: false}}',
        '  - {text: "It said {{result}}"}',
        'subagent: [{bash: echo helped > helped.txt}, {text: the helper is done}]',
      ].join('\n'),
    );
    const { code, out } = await bench.run(HEADLESS.claude('go'));
    expect(code).toBe(0);
    // 2.1.325 puts words of its own around a helper's report.
    expect(words(out)).toMatch(/It said [\s\S]*the helper is done/);
    expect(readFileSync(join(bench.cwd, 'helped.txt'), 'utf8')).toBe('helped\n');
    expect(bench.server.requests.map(({ kind }) => kind)).toEqual(['main', 'subagent', 'subagent', 'main']);
  });
});
