/** What is looked at to find out who may be alive: whoever is linked to a host need not ask the disk for it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sessionsDir } from '../disk/index.js';
import { statOf } from '../proc/index.js';
import { livingPlaces } from './catalog.js';

test('of sessions that are followed no file is read; the others are found, the dead ones too', () => {
  const root = mkdtempSync(join(tmpdir(), 'catalog-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const env = { XDG_STATE_HOME: root };
  const host = (id: string, text: string) => {
    mkdirSync(join(sessionsDir(env), id), { recursive: true });
    writeFileSync(join(sessionsDir(env), id, 'host.json'), text);
  };
  const { pid, startTicks: start_ticks } = statOf('self')!;
  host('alive222', JSON.stringify({ pid, start_ticks }));
  host('dead2222', JSON.stringify({ pid, start_ticks: start_ticks + 1 }));
  host('linked22', JSON.stringify({ pid, start_ticks }));
  const found = (isFollowed?: (id: string) => boolean) =>
    livingPlaces(env, isFollowed)
      .map(({ id, alive }) => `${id} ${alive}`)
      .sort();
  expect(found()).toEqual(['alive222 true', 'dead2222 false', 'linked22 true']);
  expect(found((id) => id === 'linked22')).toEqual(['alive222 true', 'dead2222 false']);
});
