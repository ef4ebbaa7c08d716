/**
 * The one way in: what may be asked of a host, with what, for which answer, and the right it takes. The types come from
 * `schemas/commands.ts` without loading zod; the rights are data of their own, because a host needs them at run time.
 */
import type { z } from 'zod';
import type { CommandSchemas } from './schemas/commands.js';
import type { Principal } from './schemas/inquiry.js';

/** What someone may do, each with all before it. */
export const RIGHTS = ['view', 'answer', 'type', 'admin'] as const;
export type Right = (typeof RIGHTS)[number];

/** A link that may do nothing is told why. */
export type May = Right | 'none';

export const isRight = (word: unknown): word is Right => (RIGHTS as readonly unknown[]).includes(word);

const rank = (may: May): number => RIGHTS.indexOf(may as Right);

export const allows = (may: May, need: Right): boolean => rank(may) >= rank(need);

/** A right can be lowered by who has it, never raised; a word nobody knows is none. */
export const lowered = (may: May, to: unknown): May => {
  const wanted = isRight(to) ? to : 'none';
  return rank(wanted) < rank(may) ? wanted : may;
};

/** Who is at the other end of a link, and what they may do. */
export interface Access {
  who: z.infer<typeof Principal>;
  may: May;
  /** Why it is less than it could be. */
  why?: string;
  /** It began this session: it may also see it through to its end. */
  own?: true;
  /** It is a process of this session, inside which ours was started: it may answer what the policy lets that one answer. */
  parent?: string;
}

/** What whoever began a session may do with it, whatever else it may. */
export const OWN_RIGHTS: ReadonlySet<string> = new Set(['`stop`', '`interrupt`', 'to tie the session']);

/** What a process of the session above may ask for; whether it gets it is decided for each inquiry. */
export const PARENT_RIGHTS: ReadonlySet<string> = new Set(['`answer`']);

/** The right each command takes. */
export const COMMAND_RIGHTS = {
  summary: 'view',
  inbox: 'view',
  entries: 'view',
  screen: 'view',
  redraw: 'view',
  offer: 'answer',
  answer: 'answer',
  // It holds files of the project, which no screen shows: whoever may only look is not to read them by this way.
  pack: 'answer',
  submit: 'type',
  message: 'type',
  model: 'type',
  queue: 'view',
  'queue-edit': 'type',
  'queue-move': 'type',
  'queue-cancel': 'type',
  keys: 'type',
  take: 'type',
  resize: 'type',
  interrupt: 'type',
  'input-room': 'type',
  'end-input': 'type',
  guide: 'type',
  emit: 'type',
  pause: 'admin',
  resume: 'admin',
  stop: 'admin',
} as const satisfies Record<keyof typeof CommandSchemas, Right>;

/** What else takes a right: messages, and parts of an attach. */
export const LINK_RIGHTS = {
  attach: 'view',
  'attach as driver': 'type',
  'attach with tie': 'admin',
  presence: 'answer',
  input: 'type',
  lend: 'admin',
} as const satisfies Record<string, Right>;

export type CommandName = keyof typeof CommandSchemas;

export type Commands = {
  [K in CommandName]: {
    args: z.infer<(typeof CommandSchemas)[K]['args']>;
    result: z.infer<(typeof CommandSchemas)[K]['result']>;
    right: (typeof COMMAND_RIGHTS)[K];
  };
};

export type CommandArgs<K extends CommandName> = Commands[K]['args'];
export type CommandResult<K extends CommandName> = Commands[K]['result'];

/** Arguments as a caller gives them: they may be left out where the command needs none. */
export type GivenArgs<K extends CommandName> =
  Record<never, never> extends CommandArgs<K> ? [args?: CommandArgs<K>] : [args: CommandArgs<K>];

export const isCommand = (name: string): name is CommandName => Object.hasOwn(COMMAND_RIGHTS, name);
