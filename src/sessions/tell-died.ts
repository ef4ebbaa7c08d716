/**
 * A host died and can tell nobody: whoever noticed does it in its place, by what its session's config says. Once per life: a
 * foreground run and a hub may both notice.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forget } from '../disk/index.js';
import { type Place, placeOf } from '../link/index.js';
import { specOf } from './spec-file.js';
import type { Where } from './where.js';

const TOLD = 'told-died';

/** Contract: resolves, never rejects; with whom it could not tell. */
export async function tellHostDied(where: Pick<Where, 'env' | 'version'>, session: string): Promise<string[]> {
  const place = placeOf(where.env, session);
  const spec = specOf(place);
  if (!spec || spec.exec || !isFirst(place)) return [];
  const [{ tellDied }, { runNotifyCommand }] = await Promise.all([
    import('../notify/tell-died.js'),
    import('../host/notify-command.js'),
  ]);
  const { id, name, mode, cwd, config, agent } = spec;
  const { env, version } = where;
  const told = { id, name, mode, cwd, agent: agent?.adapter ?? '?' };
  const run: Parameters<typeof tellDied>[2]['run'] = (ask) => runNotifyCommand(ask, { env });
  return tellDied(config.notify, told, { env, version, now: () => Date.now(), run });
}

/** It goes on: should its next host die too, that is told again. */
export const forgetTold = ({ dir }: Place): void => forget(join(dir, TOLD));

function isFirst({ dir }: Place): boolean {
  try {
    writeFileSync(join(dir, TOLD), '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    // A disk that takes nothing is no reason for silence.
    return (error as NodeJS.ErrnoException).code !== 'EEXIST';
  }
}
