/**
 * Names of things. A session id is short enough to type and unique on one machine; an inquiry id carries its session's
 * id (`k7f2m9qd.3`), so that `reins answer` needs nothing else to find the right host.
 */
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type SessionId = Branded<'session'>;
export type InquiryId = Branded<'inquiry'>;
export type ViewerId = Branded<'viewer'>;
export type AdapterId = string;

/** The variable that marks every process of a session with the session's id: who carries it belongs to it. */
export const SESSION_MARK = 'REINS_SESSION';

/** What is started to tell a person of something carries this with the notification's id: it is ended by it, and is no part of the agent. */
export const NOTIFICATION_MARK = 'REINS_NOTIFICATION';
/** And this with the session's id: for whoever sweeps up behind a host that died. */
export const NOTIFICATION_OF = 'REINS_NOTIFICATION_OF';

/** The marks of an agent that is only consulted: which consultation it is, and for which session. */
export const CONSULTATION_MARK = 'REINS_CONSULTATION';
export const CONSULTATION_OF = 'REINS_CONSULTATION_OF';

/** Why nobody was there when a session was begun by an agent's tool (`reins mcp`): its prompt is no person's. */
export const STARTED_BY_TOOL = 'mcp';

/** How what runs inside a loop publishes events: the program, and the session's word with a folder it watches. */
export const EMIT_PROGRAM = 'REINS_EMIT';
export const EMIT_VIA = 'REINS_EMIT_VIA';

/**
 * The mark that cannot be taken off: a hard limit of file locks, which the kernel ignores, every child inherits, and only the
 * system's administrator can raise again. Any number would do; this one nobody sets by accident.
 */
export const LIMIT_MARK = '4611686018427387903';

/**
 * What only a host's own allocator is told (glibc's; others ignore it): there may be a hundred hosts, and each of Node's ten
 * threads would keep a heap that is never given back. The environment is the only way to tell it; the host takes off again
 * what is listed in `HOST_ONLY`, so that an agent has the user's environment and nothing else.
 */
export const SPARING = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '65536', MALLOC_MMAP_THRESHOLD_: '131072' };
export const HOST_ONLY = 'REINS_HOST_ONLY';

/** Whose a session is, where several share a machine's hub; a session without one is in `DEFAULT_NAMESPACE`. */
export const NAMESPACE = /^[a-z0-9][a-z0-9._-]{0,63}$/i;
export const DEFAULT_NAMESPACE = 'default';
export const NAMESPACE_VARIABLE = 'REINS_NAMESPACE';

/** How a model may be named: one word, nothing that could be more than an argument. */
export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._:/@[\]-]{0,99}$/;

/** No vowels (no words by accident), no characters that read alike. */
const ALPHABET = '23456789bcdfghjkmnpqrstvwxz';

/** A name, not a secret: to know one opens no door. Real randomness would cost every start some milliseconds to load. */
function randomName(length: number): string {
  return Array.from({ length }, () => ALPHABET[Math.floor(Math.random() * ALPHABET.length)]).join('');
}

export const newSessionId = (): SessionId => randomName(8) as SessionId;

/** Per connection, never derived from the session: two tabs of one person are two viewers. */
export const newViewerId = (): ViewerId => `v-${randomName(6)}` as ViewerId;

/** Asked of whoever must show which process it is. Not secret: it only has to be another one each time. */
export const newNonce = (): string => randomName(7);

export const inquiryId = (session: SessionId, count: number): InquiryId => `${session}.${count}` as InquiryId;

/** The session an inquiry belongs to, or undefined if the text is no inquiry id. */
export function sessionOf(inquiry: string): SessionId | undefined {
  const match = /^([a-z0-9]{4,16})\.\d+$/.exec(inquiry);
  return match ? (match[1] as SessionId) : undefined;
}
