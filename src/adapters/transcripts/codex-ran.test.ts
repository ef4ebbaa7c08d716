import { expect, it } from 'vitest';
import { codexTranscript } from './codex.js';

const resultOf = (output: string) => {
  const payload = { type: 'function_call_output', call_id: 'c', output };
  const line = `${JSON.stringify({ type: 'response_item', payload })}\n`;
  const [said] = codexTranscript().file().feed(Buffer.from(line));
  return said?.kind === 'tool-result' ? said : undefined;
};

it.each([
  ['Wall time: 1.5 seconds\naborted by user', false],
  ['exec_command failed for `x`: rejected by user', false],
  ['unsupported call: nope', false],
  ['Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\naborted by user', true],
  ['Wall time: 1.5 seconds\naborted by user\nand more', undefined],
])('what a rollout proves about a call: %j', (output, expected) => {
  expect(resultOf(output)?.ran).toBe(expected);
});

it('what runs on has a name, by codex’s own head and not by what a command prints', () => {
  const head = (status: string) => `Chunk ID: 1\nWall time: 0.3 seconds\n${status}\nOriginal token count: 0\nOutput:\n`;
  expect(resultOf(head('Process running with session ID 70238'))).toMatchObject({ running: '70238', text: '' });
  const printed = resultOf(`${head('Process exited with code 0')}Process running with session ID 1\n`);
  expect(printed).not.toHaveProperty('running');
});
