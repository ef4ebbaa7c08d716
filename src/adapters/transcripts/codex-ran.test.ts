import { expect, it } from 'vitest';
import { codexTranscript } from './codex.js';

const ranOf = (output: string): unknown => {
  const payload = { type: 'function_call_output', call_id: 'c', output };
  const line = `${JSON.stringify({ type: 'response_item', payload })}\n`;
  const [said] = codexTranscript().file().feed(Buffer.from(line));
  return said?.kind === 'tool-result' ? said.ran : said;
};

it.each([
  ['Wall time: 1.5 seconds\naborted by user', false],
  ['exec_command failed for `x`: rejected by user', false],
  ['unsupported call: nope', false],
  ['Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\naborted by user', true],
  ['Wall time: 1.5 seconds\naborted by user\nand more', undefined],
])('what a rollout proves about a call: %j', (output, expected) => {
  expect(ranOf(output)).toBe(expected);
});
