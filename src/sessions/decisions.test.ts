import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Inquiry } from '../contract/index.js';
import { decisionsAt } from '../host/index.js';
import { decidedLines, decisionsIn } from './decisions.js';

const question = {
  id: 'db',
  text: 'Which database should I use?',
  options: [
    { id: '1', label: 'PostgreSQL' },
    { id: '2', label: 'SQLite' },
  ],
  multi: false,
  free_text: true,
};
const decided = { at: 0, session: 's', inquiry: 's.1', question, values: ['1'], scope: 'project' as const };
const by = { kind: 'consultant', adapter: 'codex' } as const;

function world() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'decided-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { XDG_STATE_HOME: home, XDG_RUNTIME_DIR: home, HOME: home };
  const folder = (name: string) => {
    mkdirSync(join(home, name), { recursive: true });
    return join(home, name);
  };
  const dir = folder('reins/sessions/aaaa2222');
  const spec = { v: 1, id: 'aaaa2222', name: 'x', mode: 'autonomous', trust: 'guarded', created_at: '', reins: '0' };
  writeFileSync(join(dir, 'session.json'), JSON.stringify({ ...spec, cwd: folder('shop') }));
  return { env, folder };
}

test('C21: a person who is asked a like question is offered the decision with its origin', () => {
  const { env, folder } = world();
  const { id } = decisionsAt(folder('shop'), env).remember({ ...decided, by });
  const asked = { ...question, text: 'Which database should the orders use?' };
  const inquiry = {
    id: 'aaaa2222.1',
    session: 'aaaa2222',
    kind: 'question',
    questions: [asked],
    exclusive: false,
  } as unknown as Inquiry;
  const line = `earlier: Which database should I use? → PostgreSQL (by the consultant codex, 1970-01-01; reins decisions show ${id})`;
  expect(decidedLines({ env }, inquiry)).toEqual([line]);
  expect(decidedLines({ env }, { ...inquiry, questions: [{ ...asked, secret: true }] })).toEqual([]);
  expect(decidedLines({ env }, { ...inquiry, kind: 'run', questions: [] })).toEqual([]);
});

test('a line that bears the mark of another project’s decision does not hide that one', () => {
  const { env, folder } = world();
  const [shop, other] = [folder('shop'), folder('other')];
  const { id } = decisionsAt(other, env).remember({ ...decided, by });
  decisionsAt(shop, env).remember({ ...decided, by });
  appendFileSync(join(shop, '.reins', 'decisions.jsonl'), readFileSync(join(other, '.reins', 'decisions.jsonl')));
  const all = decisionsIn({ env, cwd: shop, version: '' }, { all: true });
  expect(all.filter((one) => one.id === id).map(({ unverified }) => unverified === undefined)).toEqual([false, true]);
});
