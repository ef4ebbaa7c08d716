/** What `emit` says when a sandbox, or the end of the session, is in its way. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../contract/index.js';
import { EmitDrop } from '../host/emit-drop.js';
import { viaText } from '../link/emit-drop.js';
import { emitFromInside } from './emit.js';

const KEY = 'a'.repeat(32);
const EVENT = { topic: 'build.done', payload: 'x' };

/** A session whose socket nobody answers at. */
function unreachable() {
  const root = mkdtempSync(join(tmpdir(), 'reins-test-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'reins', 'sessions', 'k7f2m9qd', 'hook'), { recursive: true });
  const emit = (via?: string) => {
    const env = { XDG_STATE_HOME: root, ...(via === undefined ? {} : { REINS_EMIT_VIA: via }) };
    return emitFromInside({ env, cwd: root, version: '1' }, 'k7f2m9qd', EVENT);
  };
  return { root, emit };
}

it('goes by the folder where the socket cannot be reached', async () => {
  const { emit } = unreachable();
  const drop = new EmitDrop({ key: KEY, session: 'k7f2m9qd', clock: systemClock, emit: () => ({ accepted: true }) });
  onTestFinished(() => drop.close());
  expect(await emit(viaText(drop.via))).toEqual({ accepted: true });
});

it('where neither can be reached it says both reasons, and what to do', async () => {
  const { root, emit } = unreachable();
  const dir = join(root, 'no-folder');
  writeFileSync(dir, '');
  const error = await emit(viaText({ key: KEY, dir })).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'EMIT_BARRED',
    message: expect.stringMatching(/cannot be reached from here.*no-folder says ENOTDIR/),
    hint: expect.stringContaining('<event topic="build.done">'),
  });
});

it('that the session has ended is said only where it has: its folder is gone with it', async () => {
  const { root, emit } = unreachable();
  await expect(emit()).rejects.toMatchObject({ code: 'SESSION_ENDED' });
  await expect(emit(viaText({ key: KEY, dir: join(root, 'gone') }))).rejects.toMatchObject({ code: 'SESSION_ENDED' });
});
