import { expect, test } from 'vitest';
import { adapterNamed, adapters, decoders, protocols } from '../adapters/index.js';
import type { Decoder } from '../contract/index.js';
import { checkAdapter, decodeRecorded, playRecorded } from './adapter-check.js';

const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const RECORDED = [
  { type: 'system', subtype: 'init', session_id: 's', model: 'm' },
  { type: 'assistant', message: { content: [{ type: 'text', text: 'grüße 🙂' }] } },
  { type: 'result', subtype: 'success', is_error: false, result: 'grüße 🙂' },
]
  .map(line)
  .join('');
const ASKS = line({
  type: 'control_request',
  request_id: 'r1',
  request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' } },
});

test('an adapter of ours has only its name against it', () => {
  expect(checkAdapter({ ...adapterNamed('practice')!, id: 'mine' })).toEqual([]);
  expect(checkAdapter(adapterNamed('practice')!)).toEqual(['practice comes with Reins and cannot be replaced']);
  for (const adapter of adapters) expect(checkAdapter(adapter)).not.toEqual([]);
});

test('one without a gate, and one that throws, are named with mode and trust', () => {
  const mine = { ...adapterNamed('practice')!, id: 'mine' };
  const open = checkAdapter({ ...mine, plan: (ask) => ({ ...mine.plan({ ...ask, door: 'stream' }) }) });
  expect(open).toEqual([
    'autonomous, guarded: it brings no gate for its control door (a protocol that asks)',
    'interactive, guarded: it brings no gate for its tui door (a hook)',
  ]);
  const thrown = checkAdapter({
    ...mine,
    door: () => {
      throw new Error('boom');
    },
  });
  expect(thrown).toContain('interactive, full: it threw: boom');
});

test('recorded output is read the same however it is cut, and one that is not so is found out', () => {
  const outputs = decodeRecorded(() => decoders.claudeStream(), RECORDED);
  expect(outputs.filter(({ kind }) => kind === 'text')).toEqual([{ kind: 'text', text: 'grüße 🙂\n' }]);
  const careless = (): Decoder => ({
    feed: (chunk) => [{ kind: 'text', text: new TextDecoder().decode(chunk) }],
    end: () => [],
  });
  expect(() => decodeRecorded(careless, RECORDED)).toThrow(/depends on how it is cut/);
});

test('a recorded conversation is played with answers', () => {
  const steps = playRecorded(
    () => protocols.claudeControl(),
    RECORDED + ASKS,
    () => ({ verdict: { kind: 'allow' } }),
    'hi',
  );
  expect(steps.filter((step) => step.do === 'ask')).toMatchObject([{ inquiry: { tool: 'Bash' } }]);
  const written = steps.flatMap((step) => (step.do === 'write' ? [step.bytes] : [])).join('');
  expect(written).toContain('"behavior":"allow"');
});
