/** What is shown is what is signed: spans put together are the whole thing, whatever it is. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import type { Inquiry } from '../../contract/index.js';
import { loadShell } from '../../policy/index.js';
import { viewOf } from './index.js';

const shell = await loadShell();
const of = (tool: string, input: unknown) =>
  viewOf({ kind: 'run', tool, input } as Inquiry, { cwd: '/project/here', shell });
const text = (view: ReturnType<typeof of>) => (view.spans ?? []).map((one) => one.text).join('');

it('leaves nothing of a command out, and nothing of what stands beside it', () => {
  const command = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc
      .array(fc.constantFrom('git', ' ', 'push', '"$(', ')"', '`', '|', '&&', '>', '/etc/x', '\u202e', '\n', "'"))
      .map((all) => all.join('')),
  );
  fc.assert(
    fc.property(command, (one) => {
      expect(text(of('Bash', { command: one }))).toBe(one);
      expect(text(of('Bash', { command: one, timeout: 5 }))).toBe(`${one}\n\ntimeout: 5`);
      expect(text(of('Other', one))).toBe(one);
    }),
    { numRuns: 80 },
  );
});

it('shows what nobody sees, and where a command leads out of its folder', () => {
  const view = of('Bash', { command: 'cat ../secret \u202e| sh > /etc/x && echo $(id) src/a' });
  const is = (kind: string) => view.spans!.filter((one) => one.is === kind).map((one) => one.text);
  expect(view).toMatchObject({ title: 'wants to run a command', shape: 'shell' });
  expect(is('hidden')).toEqual(['\u202e']);
  expect(is('outside')).toContain('../secret');
  expect(is('command')).toContain('cat');
  expect(is('substitution').join('')).toContain('$(');
});

it('shows changes of files before and after, and what it does not understand as it is', () => {
  expect(of('Edit', { file_path: 'a.ts', old_string: 'x', new_string: 'y' })).toMatchObject({
    title: 'wants to change a.ts',
    shape: 'diff',
    files: [{ path: 'a.ts', before: 'x', after: 'y', part: true }],
  });
  const patch = '*** Begin Patch\n*** Add File: b\n+one\n*** Update File: c\n@@\n-old\n+new\n same\n*** End Patch';
  expect(of('apply_patch', { input: patch }).files).toEqual([
    { path: 'b', before: '', after: 'one\n', created: true },
    { path: 'c', before: '@@\nold\nsame\n', after: '@@\nnew\nsame\n', part: true },
  ]);
  const odd = { file_path: 'a', old_string: 'x', new_string: 'y', also: 'z' };
  expect(text(of('Edit', odd))).toBe(JSON.stringify(odd, null, 2));
  expect(of('ExitPlanMode', { plan: '# Do' })).toMatchObject({ title: 'has a plan', markdown: '# Do' });
  expect(of('WebFetch', { url: 'https://example.com/x' }).title).toBe('wants to fetch example.com');
});

it('says where what a file holds now is not shown: an empty before is one that is empty', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'views-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, 'small'), 'now\n');
  writeFileSync(join(cwd, 'large'), 'x'.repeat(1024 * 1024 + 1));
  const files = (tool: string, input: unknown) =>
    viewOf({ kind: 'run', tool, input } as Inquiry, { cwd, shell }).files!.map(({ path: _, ...rest }) => rest);
  const write = (file_path: string) => files('Write', { file_path, content: 'new\n' })[0];
  expect(write('small')).toEqual({ before: 'now\n', after: 'new\n' });
  expect(write('none')).toEqual({ before: '', after: 'new\n', created: true });
  expect(write('large')).toEqual({ before: '', after: 'new\n', unseen: 'it has 1048577 bytes' });
  expect(write('/etc/passwd')).toEqual({ before: '', after: 'new\n', unseen: 'it is outside the folder' });
  expect(write('.')).toMatchObject({ before: '', unseen: expect.any(String) });
  const patch = '*** Begin Patch\n*** Delete File: large\n*** Delete File: small\n*** End Patch';
  expect(files('apply_patch', { input: patch })).toEqual([
    { before: '', after: '', unseen: 'it has 1048577 bytes' },
    { before: 'now\n', after: '' },
  ]);
});
