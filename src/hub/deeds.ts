/**
 * What a page can do with sessions, route by route: each a command to one host, over a link with the right and the name of its
 * device, or a look into the files of one that has ended. Right and scope were checked before; the host checks the right again.
 */
import { join } from 'node:path';
import {
  type CommandName,
  type CommandResult,
  type GivenArgs,
  ReinsError,
  type SessionRow,
} from '../contract/index.js';
import { FILES } from '../disk/index.js';
import { readPage } from '../journal/read.js';
import { type Place, placeOf } from '../link/index.js';
import {
  endedRows,
  guideSession,
  rowFromFiles,
  rowOf,
  stopSession,
  tellAs,
  type Where,
  whenLeft,
} from '../sessions/index.js';
import { cutEntry } from './cut.js';
import type { KnownDevice } from './device-files.js';
import type { HubHandlers } from './handlers.js';
import { inScope, shownEntry, shownRow } from './scope.js';
import { MOST_ENDED, type Watching } from './watching.js';

export type SessionDeeds = Pick<
  HubHandlers,
  | 'sessions'
  | 'session'
  | 'entries'
  | 'screen'
  | 'message'
  | 'queue'
  | 'keys'
  | 'model'
  | 'interrupt'
  | 'pause'
  | 'resume'
  | 'stop'
  | 'kill'
  | 'guide'
>;

export interface DeedPorts {
  where: Where;
  watching: Watching;
}

export function sessionDeeds({ where, watching }: DeedPorts): SessionDeeds {
  const tell = <K extends CommandName>(
    { place, device }: { place: Place; device: KnownDevice },
    name: K,
    ...args: GivenArgs<K>
  ): Promise<CommandResult<K>> => tellAs(where, place, { may: device.right, device: device.name }, name, ...args);

  const end = async (call: { place: Place; device: KnownDevice }, how: 'stop' | 'kill') => {
    const why = `asked for on ${call.device.name}`;
    const gone = (error: ReinsError) => {
      if (error.code !== 'HOST_SILENT') throw error;
      return stopSession(where, call.place, { how, why });
    };
    const report = await (call.place.alive
      ? tell(call, 'stop', { how, why }).catch(gone)
      : stopSession(where, call.place, { how, why }));
    await whenLeft(where, call.place.id);
    await watching.again(call.place.id);
    return report;
  };

  return {
    async sessions({ device, args: { ended, before, limit = MOST_ENDED } }) {
      const isOurs = (row: Parameters<typeof inScope>[1]) => inScope(device, row);
      const shown = (rows: SessionRow[]) => rows.map((row) => shownRow(where, device, row));
      await watching.ready;
      if (before !== undefined) return shown(await endedRows(where, { most: limit, before, isWanted: isOurs }));
      const rows = [...watching.rows.values()].filter(isOurs);
      const wanted = ended ? rows : rows.filter(({ state, left }) => state !== 'ended' || left !== undefined);
      return shown(wanted.sort((a, b) => b.started_at.localeCompare(a.started_at)));
    },
    async session({ place, device }) {
      await watching.ready;
      // Asked for anew: whoever just did something to it must find it done. One that cannot be asked is as it was known last.
      const known = watching.rows.get(place.id);
      const canBeAsked = !watching.silent.has(place.id) && known?.other === undefined;
      const fresh = canBeAsked ? await rowOf(where, place).catch(() => undefined) : undefined;
      const row = fresh ?? known ?? rowFromFiles(place, 'nothing is known of it');
      if (!row) throw new ReinsError('NO_SUCH_SESSION', { session: place.id });
      return shownRow(where, device, row);
    },
    async entries(call) {
      const { place, args } = call;
      const file = () => readPage(join(place.dir, FILES.journal), args);
      const { entries, more } = place.alive
        ? await tell(call, 'entries', args).catch(endedThen(where, place, file))
        : file();
      return { entries: entries.map((entry) => cutEntry(shownEntry(where, call.device, entry)).entry), more };
    },
    screen: (call) => tell(call, 'screen', call.args),
    // The host knows the key too, also over a restart of the hub.
    message: (call) => tell(call, 'message', call.args),
    queue: (call) => {
      const { do: what, key, text = '', before = null } = call.args;
      if (what === 'edit') return tell(call, 'queue-edit', { key, text });
      return what === 'move' ? tell(call, 'queue-move', { key, before }) : tell(call, 'queue-cancel', { key });
    },
    keys: (call) => tell(call, 'keys', call.args),
    model: (call) => tell(call, 'model', call.args),
    interrupt: async (call) => {
      await tell(call, 'interrupt');
      return { ok: true };
    },
    pause: (call) => tell(call, 'pause'),
    resume: (call) => tell(call, 'resume'),
    stop: (call) => end(call, 'stop'),
    kill: (call) => end(call, 'kill'),
    // As with messages, the journal knows the key; keys are made by devices, so they are theirs.
    guide: (call) => {
      const { place, device, args } = call;
      const key = `${device.id} ${args.key}`;
      return place.alive ? tell(call, 'guide', { text: args.text, key }) : guideSession(where, place, args.text, key);
    },
  };
}

/** It ended while it was asked: its file knows. */
const endedThen =
  <T>(where: Where, { id }: Place, read: () => T) =>
  (error: ReinsError): T => {
    const isOver = error.code === 'SESSION_ENDED' || error.code === 'HOST_LOST';
    if (!isOver || placeOf(where.env, id).alive) throw error;
    return read();
  };
