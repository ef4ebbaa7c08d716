/** What each tool does, by way of the sessions' room. A caller's own words about itself are for the record only. */
import {
  type CommandResult,
  ReinsError,
  type SendReceipt,
  type SessionRow,
  STARTED_BY_TOOL,
  sessionOf,
} from '../contract/index.js';
import type { Place } from '../link/index.js';
import {
  connectTo,
  findSession,
  listed,
  openInquiries,
  rowOf,
  specOf,
  stopSession,
  tell,
  type Where,
} from '../sessions/index.js';
import { insideSession } from '../sessions/inside.js';
import { startSession } from '../sessions/run.js';
import { UNSEEN } from '../sessions/start.js';
import { type CallerRights, demand } from './rights.js';
import type { ToolArgs, ToolName } from './tools.js';
import { waitFor } from './wait.js';

export interface Caller {
  /** With the environment agents get, the login shell's: sessions are looked for where they are started. */
  where: Where;
  rights: CallerRights;
  /** As it called itself. */
  name: string;
  /** Aborted when it no longer waits. */
  signal: AbortSignal;
}

type Deeds = { [K in ToolName]: (caller: Caller, args: ToolArgs<K>) => Promise<object> };

/** By its start facts: whoever answers it must be a person. */
const isByTool = (place: Place): boolean => specOf(place)?.seat.presence.reason === STARTED_BY_TOOL;

async function row(where: Where, place: Place): Promise<SessionRow> {
  const found = await rowOf(where, place);
  if (!found) throw new ReinsError('NO_SUCH_SESSION', { session: place.id });
  return found;
}

/** Attached under the caller's name, so that the journal says who it was. */
async function answer(caller: Caller, args: ToolArgs<'inquiry_answer'>): Promise<CommandResult<'answer'>> {
  const { where, name } = caller;
  const session = sessionOf(args.inquiry);
  if (session === undefined) throw new ReinsError('NO_SUCH_INQUIRY', { inquiry: args.inquiry });
  const place = findSession(where, session);
  const refuse = (why: string) =>
    new ReinsError('RIGHT_MISSING', {
      what: 'to answer here',
      need: 'answer',
      may: caller.rights.may,
      why: `: ${why}`,
    });
  // From inside a session nobody answers but the parent that the policy names, and that the host itself decides.
  if (isByTool(place) && !insideSession(where))
    throw refuse('the session was started by such a tool, and what it asks is for a person');
  const client = await connectTo(where, place, undefined, 'answer');
  try {
    await client.attach({
      kind: 'api',
      name: `${name} (reins mcp)`,
      role: 'watcher',
      visible: false,
      bytes: false,
      entries: false,
      answers: 'no',
    });
    // What does not wait visibly could be anything, also something for a person alone.
    const open = (await client.command('inbox')).find(({ id }) => id === args.inquiry);
    if (!open) throw refuse('no such inquiry waits for an answer');
    if (open.exclusive) throw refuse('only a person may answer this one');
    return await client.command('answer', args);
  } finally {
    client.close();
  }
}

/** Only into an input box that is seen. A host of an older build does not know `seen`: so a plain program is refused here. */
async function send({ where }: Caller, { session, text, key }: ToolArgs<'session_send'>): Promise<SendReceipt> {
  const place = findSession(where, session);
  const mode = specOf(place)?.mode;
  if (mode === undefined || mode === 'exec') {
    const reason = mode ? 'it runs a plain program, no agent' : 'what it runs cannot be read';
    throw new ReinsError('SEND_REFUSED', { reason, fix: 'a person may type there: `reins attach`' });
  }
  return tell(where, place, 'submit', { text, seen: true, ...(key === undefined ? {} : { key }) });
}

export const DEEDS: Deeds = {
  session_start: async (
    { where },
    { agent, mode = 'interactive', prompt, cwd, name, once, share_folder: share, worktree },
  ) => {
    const place = (
      await startSession(
        where,
        {
          mode,
          ...(agent === undefined ? {} : { backend: agent }),
          ...(prompt === undefined ? {} : { prompt }),
          ...(cwd === undefined ? {} : { cwd }),
          ...(name === undefined ? {} : { name }),
          ...(once === undefined ? {} : { once }),
          ...(share === undefined ? {} : { shareFolder: share }),
          ...(worktree === undefined ? {} : { worktree }),
        },
        { ...UNSEEN, presence: { present: false, reason: STARTED_BY_TOOL } },
      )
    ).place;
    return row(where, place);
  },
  session_list: async ({ where }, { ended = false }) => ({ sessions: (await listed(where, { ended })).rows }),
  session_send: send,
  session_screen: async ({ where }, { session, scrollback = 0 }) =>
    tell(where, findSession(where, session), 'screen', { scrollback }),
  session_wait: ({ where, signal }, { session, until = ['asking', 'idle', 'ended'], limit_secs: limit = 45 }) =>
    waitFor(where, findSession(where, session), { until, limitMs: limit * 1000, signal }),
  session_stop: async ({ where, rights }, { session, how = 'stop' }) => {
    const place = findSession(where, session);
    if (!isByTool(place)) demand(rights, 'admin', 'to stop a session that a person started');
    return stopSession(where, place, { how, why: 'reins mcp' });
  },
  inbox_list: ({ where }) => openInquiries(where),
  inquiry_answer: answer,
};
