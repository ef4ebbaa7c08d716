/** F1: a card tells of nothing that happened in a session its reader may not know of. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type LostInquiry, silentLog } from '../contract/index.js';
import { decisionsAt } from '../host/index.js';
import { Cards } from './cards.js';

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

it('what was decided before is told within its namespace; of others, and of sessions that are gone, it is not', async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'cards-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { XDG_STATE_HOME: home, XDG_RUNTIME_DIR: home, HOME: home };
  const cwd = join(home, 'shop');
  mkdirSync(cwd);
  const spec = { v: 1, name: 'x', mode: 'autonomous', trust: 'guarded', created_at: '', reins: '0', cwd };
  const session = (id: string, namespace?: string) => {
    const dir = join(home, 'reins', 'sessions', id);
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'session.json'), JSON.stringify({ ...spec, id, ...(namespace ? { namespace } : {}) }));
    return dir;
  };
  const origin = session('aaaa2222', 'work');
  session('bbbb3333', 'work');
  session('cccc4444', 'play');
  session('dddd5555');
  const by = { kind: 'consultant', adapter: 'codex' } as const;
  const decided = {
    at: 0,
    session: 'aaaa2222',
    inquiry: 'aaaa2222.1',
    question,
    values: ['1'],
    scope: 'project' as const,
  };
  decisionsAt(cwd, env).remember({ ...decided, by });
  const cards = new Cards({ where: { env, cwd, version: '0' }, log: silentLog });
  const historyOf = async (id: string) => {
    const inquiry = {
      id: `${id}.1`,
      session: id,
      kind: 'question',
      questions: [question],
      exclusive: false,
      opened_at: '',
    };
    return (await cards.of(inquiry as unknown as LostInquiry, undefined)).history;
  };
  expect(await historyOf('bbbb3333')).toContain('PostgreSQL');
  expect([await historyOf('cccc4444'), await historyOf('dddd5555')]).toEqual([undefined, undefined]);
  rmSync(origin, { recursive: true });
  expect(await historyOf('bbbb3333')).toBeUndefined();
});
