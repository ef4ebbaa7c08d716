/**
 * What may be asked of a host: each command is answered once, with a value or an error that has a code. Arguments come from
 * outside; they are read here by hand, to start without zod, and as strictly as the schemas of `contract/` say.
 */
import {
  asReinsError,
  COMMAND_RIGHTS,
  type CommandArgs,
  type CommandName,
  type CommandResult,
  isCommand,
  MODEL_NAME,
  once,
  type Presence,
  type QueuedMessage,
  ReinsError,
  type Size,
} from '../contract/index.js';
import { fittingInquiries, MOST_ENTRIES } from '../journal/journal.js';
import type { Host } from './host.js';
import type { MessageQueue } from './queue.js';
import type { Viewer } from './viewer.js';

type LooseArgs = Record<string, unknown>;
type Readers = { [K in CommandName]: (args: LooseArgs) => CommandArgs<K> };
type CommandCall<K extends CommandName> = [host: Host, viewer: Viewer, args: CommandArgs<K>];
type Handlers = {
  [K in CommandName]: CommandResult<K> extends null
    ? (...asked: CommandCall<K>) => void
    : (...asked: CommandCall<K>) => CommandResult<K> | Promise<CommandResult<K>>;
};

const UNSEEN_BOX: CommandResult<'submit'> = {
  verdict: 'refused',
  reason: 'nobody can see an input box in this program; nothing was typed',
};
/** A rehearsal is about nobody being there. */
const REHEARSED: Presence = { present: false, reason: 'as an example' };
export const loadRehearsal = once(() => import('./consult/rehearsal.js'));
/** An answer is a person's, who takes longer than this to load. */
export const loadAnswering = once(() => import('./answering.js'));
const MOST_SCROLLBACK = 100_000;
const LONGEST_SIDE = 1000;
/** More than anyone says to an agent at once; a file is better named than sent. */
const LONGEST_MESSAGE = 1024 * 1024;

const LONGEST_KEY = 200;

const wrong = (problem: string, fix = 'give one') => new ReinsError('USAGE', { problem, fix });

function text(args: LooseArgs, name: string): string {
  const value = args[name];
  if (typeof value !== 'string') throw wrong(`${name} must be a text`);
  return value;
}

function message(args: LooseArgs): string {
  const value = text(args, 'text');
  if (value.length <= LONGEST_MESSAGE) return value;
  throw wrong(`text is longer than ${LONGEST_MESSAGE} characters`, 'put it into a file, and name the file');
}

function messageKey(args: LooseArgs, name: string): string {
  const value = text(args, name);
  if (value.length >= 1 && value.length <= LONGEST_KEY) return value;
  throw wrong(`${name} must be a text of 1 to ${LONGEST_KEY} characters`);
}

/** One field that may be missing, as an object to be spread. */
function optional<N extends string, T>(
  args: LooseArgs,
  name: N,
  read: (args: LooseArgs, name: N) => T,
): { [K in N]?: T } {
  return args[name] === undefined ? {} : ({ [name]: read(args, name) } as { [K in N]: T });
}

function texts(args: LooseArgs, name: string): string[] {
  const value = args[name];
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'string')) throw wrong(`${name} must be texts`);
  return value;
}

const count =
  (least: number, most: number) =>
  (args: LooseArgs, name: string): number => {
    const value = args[name];
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
      throw wrong(`${name} must be a number from ${least} to ${most}`);
    return value;
  };

const oneOf =
  <T extends string>(...known: T[]) =>
  (args: LooseArgs, name: string): T => {
    const found = known.find((one) => one === args[name]);
    if (found === undefined) throw wrong(`${name} must be ${known.join(' or ')}`);
    return found;
  };

function flag(args: LooseArgs, name: string): boolean {
  const value = args[name];
  if (typeof value !== 'boolean') throw wrong(`${name} must be true or false`);
  return value;
}

const none = () => ({});
const side = count(1, LONGEST_SIDE);
const sequence = count(0, Number.MAX_SAFE_INTEGER);

const READ = {
  summary: none,
  inbox: none,
  entries: (args) => ({
    ...optional(args, 'since', sequence),
    ...optional(args, 'before', sequence),
    ...optional(args, 'limit', count(1, MOST_ENTRIES)),
  }),
  offer: (args) => ({ inquiry: text(args, 'inquiry') }),
  answer: (args) => ({
    inquiry: text(args, 'inquiry'),
    ...optional(args, 'words', texts),
    ...optional(args, 'texts', texts),
    ...(args.input === undefined ? {} : { input: args.input }),
    ...optional(args, 'reason', text),
    ...optional(args, 'scope', oneOf('once', 'session')),
    ...optional(args, 'suggested', text),
    ...optional(args, 'digest', text),
  }),
  pack: (args) => ({ inquiry: text(args, 'inquiry') }),
  submit: (args) => ({ text: message(args), ...optional(args, 'key', text), ...optional(args, 'seen', flag) }),
  message: (args) => ({ text: message(args), key: messageKey(args, 'key') }),
  queue: none,
  'queue-edit': (args) => ({ key: messageKey(args, 'key'), text: message(args) }),
  'queue-move': (args) => ({
    key: messageKey(args, 'key'),
    before: args.before === null ? null : messageKey(args, 'before'),
  }),
  'queue-cancel': (args) => ({ key: messageKey(args, 'key') }),
  model: (args) => {
    const model = text(args, 'model');
    if (!MODEL_NAME.test(model)) throw wrong('model must be a name', 'one word, like sonnet');
    return { model };
  },
  keys: (args) => ({ keys: text(args, 'keys') }),
  screen: (args) => ({
    ...optional(args, 'scrollback', count(0, MOST_SCROLLBACK)),
    ...optional(args, 'ansi', flag),
  }),
  redraw: none,
  resize: (args) => ({ cols: side(args, 'cols'), rows: side(args, 'rows') }),
  take: none,
  interrupt: none,
  pause: none,
  resume: none,
  stop: (args) => ({
    ...optional(args, 'how', oneOf('stop', 'kill')),
    ...optional(args, 'why', text),
    ...optional(args, 'signal', text),
  }),
  'input-room': none,
  'end-input': none,
  emit: (args) => ({
    topic: text(args, 'topic'),
    ...optional(args, 'payload', text),
    ...optional(args, 'key', text),
  }),
  guide: (args) => ({ text: message(args), ...optional(args, 'key', text) }),
} satisfies Readers;

const RUN = {
  summary: (host) => host.row(),
  inbox: (host) => fittingInquiries(host.desk.shown()),
  entries: (host, _viewer, args) => host.journal.page(args),
  answer: async (host, viewer, args) => (await loadAnswering()).answer(host, viewer, args),
  /** What "allow for this session" would allow, to be shown before it is said. */
  offer: async (host, _viewer, args) => {
    const inquiry = host.desk.unsettled().find((open) => open.id === args.inquiry);
    return { rules: inquiry && inquiry.kind !== 'question' ? await host.policy.offer(inquiry) : [] };
  },
  pack: async (host, _viewer, args) => {
    const inquiry = host.desk.find(args.inquiry);
    const route = () => host.policy.route(inquiry, REHEARSED);
    return (await loadRehearsal()).rehearse(inquiry, { ...host.gathering, route, standing: host.standing });
  },
  stop: (host, _viewer, { how = 'stop', why = 'asked for', signal }) =>
    host.work.stop({ how, why, ...(signal ? { signal } : {}) }),
  interrupt: (host) => host.work.interrupt(),
  pause: async (host) => ({ pids: await host.pause() }),
  resume: async (host) => ({ pids: await host.resume() }),
  resize,
  take: (host, viewer) => {
    host.viewers.driver.ask(viewer.id, { take: true });
    host.viewers.drives(viewer);
  },
  /** This viewer's own terminal changed: it wants the screen whole. */
  redraw: (_host, viewer) => viewer.outbox?.redraw(),
  'end-input': (host) => host.work.endInput(),
  /** For who pipes much: answered when the command has taken enough of what was sent. */
  'input-room': (host) => host.work.inputRoom?.(),
  screen: async (host, _viewer, { scrollback = 0, ansi }) => {
    const screen = host.work.terminal?.screen;
    if (!screen) throw noTerminal(host);
    const shot = await screen.shot({ scrollback });
    return ansi ? { ...shot, ansi: await screen.ansi({ scrollback }) } : shot;
  },
  submit: async (host, viewer, { text: words, key, seen = false }) => {
    if (seen && host.work.blind) return UNSEEN_BOX;
    return (await host.messages()).submitOnce(words, { by: 'api', viewer: viewer.id, ...(key ? { key } : {}) });
  },
  message: async (host, viewer, { text: words, key }) =>
    (await host.messages()).message({ text: words, key, viewer: viewer.id, ...sentBy(viewer) }),
  queue: async (host) => (await queueOf(host)).list(),
  'queue-edit': (host, _viewer, { key, text: words }) => changed(host, (queue) => queue.edit(key, words)),
  'queue-move': (host, _viewer, { key, before }) => changed(host, (queue) => queue.move(key, before)),
  'queue-cancel': (host, viewer, { key }) => changed(host, (queue) => queue.cancel(key, sentBy(viewer).by)),
  model: async (host, _viewer, { model }) => (await host.messages()).model(model),
  keys: async (host, viewer, { keys }) => {
    if (!host.work.terminal?.screen) throw noTerminal(host);
    return (await host.messages()).press(keys, viewer.id);
  },
  emit: (host, _viewer, args) => emit(host, args),
  guide: (host, _viewer, { text: words, key }) => {
    if (!host.work.guide)
      throw new ReinsError('SEND_REFUSED', { reason: 'this session has no loop', fix: 'use `reins send`' });
    return host.work.guide(words, key);
  },
} satisfies Handlers;

/** Contract: throws USAGE for what the schema of the command would refuse. */
export function readArgs<K extends CommandName>(name: K, args: unknown): CommandArgs<K> {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) throw wrong('arguments must be an object');
  return (READ as Readers)[name](args as LooseArgs);
}

export async function runCommand(host: Host, viewer: Viewer, asked: { name: string; args: unknown }): Promise<unknown> {
  const { name } = asked;
  const from = performance.now();
  const log = (code?: string) => {
    if (name === 'input-room') return; // one per piece of what is piped in
    const ms = Math.round((performance.now() - from) * 10) / 10;
    const { who, may } = viewer.gate.access;
    host.viewers.log.log('info', 'command', { name, ms, code, viewer: viewer.id, who: `${who.kind} ${who.name}`, may });
  };
  try {
    if (!isCommand(name)) throw wrong(`the host does not know ${name}`, 'is this the same version of Reins?');
    viewer.gate.need(COMMAND_RIGHTS[name], `\`${name}\``);
    const value = await run(name, host, viewer, readArgs(name, asked.args));
    log();
    return value;
  } catch (error) {
    log(asReinsError(error).code);
    throw error;
  }
}

/** The compiler has seen above that each handler takes what its reader reads. */
const run = <K extends CommandName>(name: K, ...asked: CommandCall<K>): unknown =>
  (RUN[name] as (...asked: CommandCall<K>) => unknown)(...asked);

/** Also asked for through the hook's own socket. */
export function emit(host: Host, { topic, payload = '' }: CommandArgs<'emit'>): CommandResult<'emit'> {
  if (!host.work.emit)
    throw new ReinsError('SEND_REFUSED', { reason: 'this session has no loop', fix: 'use `reins run`' });
  return host.work.emit(topic, payload);
}

const queueOf = async (host: Host): Promise<MessageQueue> => (await host.messages()).queue();

/** What waits afterwards. */
async function changed(host: Host, change: (queue: MessageQueue) => void): Promise<QueuedMessage[]> {
  const queue = await queueOf(host);
  change(queue);
  return queue.list();
}

function noTerminal(host: Host): ReinsError {
  const reason =
    host.spec.mode === 'autonomous' || host.spec.mode === 'conversation'
      ? 'its agent runs headless'
      : 'it runs on plain pipes';
  return new ReinsError('NO_TERMINAL', { session: host.spec.id, reason });
}

function resize(host: Host, viewer: Viewer, size: Size): Size {
  const driver = host.viewers.driver.holder;
  // One size owner at a time: whoever types. Nobody there: whoever asks.
  if (driver !== null && driver !== viewer.id) throw new ReinsError('NOT_DRIVER', { driver });
  if (!host.work.terminal?.screen) throw noTerminal(host);
  host.work.resize(size);
  host.viewers.tellSize(size);
  return size;
}

/** The device, or the viewer as it calls itself; of a program that only asks there is nothing to tell. */
function sentBy({ request, gate }: Viewer): { by?: string } {
  const { who } = gate.access;
  const by = who.kind === 'device' ? who.name : request?.name;
  return by === undefined ? {} : { by };
}
