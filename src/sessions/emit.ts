/**
 * An event published from inside a session: over the hook's socket, or, from a sandbox that lets nobody reach a socket, as a
 * file in the folder that its host watches. What is in the way is told as it is.
 */
import { existsSync } from 'node:fs';
import { type CommandArgs, type CommandResult, EMIT_VIA, ReinsError } from '../contract/index.js';
import { dropAsk, type EmitVia, readVia } from '../link/emit-drop.js';
import { connectHooks, HostClient, placeOf } from '../link/index.js';
import type { Where } from './where.js';

type Event = Pick<CommandArgs<'emit'>, 'topic'> & { payload: string };
type Emitted = CommandResult<'emit'>;

/** More than a host keeps of a payload: it is cut there, and the receipt says so. */
const MOST_CHARACTERS = 256 * 1024;

export async function emitFromInside(where: Where, id: string, given: Event): Promise<Emitted> {
  const event = { ...given, payload: given.payload.slice(0, MOST_CHARACTERS) };
  const place = placeOf(where.env, id);
  const via = readVia(where.env[EMIT_VIA]);
  // A word that was cut off on the way is as good as none, but a host of before there was one wants none.
  const key = via ? { key: via.key } : {};
  let link: Awaited<ReturnType<typeof connectHooks>>;
  try {
    link = await connectHooks(place);
  } catch (error) {
    if (!via || !existsSync(via.dir)) throw error;
    return dropped(id, via, event, reasonOf(error));
  }
  const client = new HostClient({ link, session: id, version: where.version, may: 'view' });
  try {
    return await client.insist('emit', { ...event, ...key });
  } finally {
    client.close();
  }
}

async function dropped(session: string, via: EmitVia, event: Event, socket: string): Promise<Emitted> {
  const barred = (folder: string) =>
    new ReinsError('EMIT_BARRED', { session, socket, dir: via.dir, folder, topic: event.topic });
  let told: unknown;
  try {
    told = await dropAsk(via, { session, ...event });
  } catch (error) {
    throw barred((error as NodeJS.ErrnoException).code ?? (error as Error).message);
  }
  if (told === undefined) throw barred('nothing: nobody took the event within 10 s');
  const { value, error } = told as { value?: Emitted; error?: { message: string } };
  if (value) return value;
  throw new ReinsError('SEND_REFUSED', { reason: error?.message ?? 'no reason was given', fix: 'see `reins ls`' });
}

/** The system's own word, if there is one: EPERM says more than "went away". */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
}
