/**
 * What a viewer may ask of a host: each command is answered once, with a value or an error that has a code. Arguments
 * come from outside and are checked here.
 */
import { ReinsError, type Verdict } from '../contract/index.js';
import { parseKeys } from '../terminal/index.js';
import { publicAnswer, wordsToVerdict } from './answer-words.js';
import type { Host } from './host.js';
import type { Viewer } from './viewer.js';

type Args = Record<string, unknown>;
type Command = (host: Host, viewer: Viewer, args: Args) => unknown;

function text(args: Args, name: string): string {
  const value = args[name];
  if (typeof value !== 'string') throw new ReinsError('USAGE', { problem: `${name} must be a text`, fix: 'give one' });
  return value;
}

const optionalText = (args: Args, name: string): string | undefined =>
  args[name] === undefined ? undefined : text(args, name);

function count(args: Args, name: string, most: number): number {
  const value = args[name];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most) {
    throw new ReinsError('USAGE', { problem: `${name} must be a number up to ${most}`, fix: 'give one' });
  }
  return value;
}

const COMMANDS: Record<string, Command> = {
  summary: (host) => host.row(),
  inbox: (host) => host.desk.list(),
  answer: (host, viewer, args) => answer(host, viewer, args),
  /** What "allow for this session" would allow, to be shown before it is said. */
  offer: async (host, _viewer, args) => {
    const inquiry = host.desk.unsettled().find((open) => open.id === args.inquiry);
    return { rules: inquiry ? await host.policy.offer(inquiry) : [] };
  },
  stop: (host, _viewer, args) => {
    const signal = optionalText(args, 'signal');
    return host.work.stop({
      how: args.how === 'kill' ? 'kill' : 'stop',
      why: optionalText(args, 'why') ?? 'asked for',
      ...(signal ? { signal } : {}),
    });
  },
  interrupt: (host) => host.work.interrupt(),
  pause: async (host) => ({ pids: await host.pause() }),
  resume: async (host) => ({ pids: await host.resume() }),
  resize: (host, viewer, args) => {
    const size = { cols: count(args, 'cols', 1000), rows: count(args, 'rows', 1000) };
    if (size.cols < 1 || size.rows < 1)
      throw new ReinsError('USAGE', { problem: 'a size of nothing', fix: 'like 120x40' });
    const driver = host.viewers.driver.holder;
    // One size owner at a time: whoever types. Nobody there: whoever asks.
    if (driver !== null && driver !== viewer.id) throw new ReinsError('NOT_DRIVER', { driver });
    if (!host.work.terminal?.screen) throw noTerminal(host);
    host.work.resize(size);
    host.viewers.tellSize(size);
    return size;
  },
  take: (host, viewer) => {
    host.viewers.driver.ask(viewer.id, { take: true });
    host.viewers.drives(viewer);
  },
  /** This viewer's own terminal changed: it wants the screen whole. */
  redraw: (_host, viewer) => viewer.outbox?.redraw(),
  'end-input': (host) => host.work.endInput(),
  /** For who pipes much: answered when the command has taken enough of what was sent. */
  'input-room': (host) => host.work.inputRoom?.(),
  screen: async (host, _viewer, args) => {
    const screen = host.work.terminal?.screen;
    if (!screen) throw noTerminal(host);
    const scrollback = args.scrollback === undefined ? 0 : count(args, 'scrollback', 100_000);
    if (args.ansi !== true) return screen.shot({ scrollback });
    const { cursor, cols, rows, title } = await screen.shot();
    return { ansi: await screen.ansi({ scrollback }), cursor, cols, rows, title };
  },
  submit: (host, viewer, args) => {
    const key = optionalText(args, 'key');
    return host.submitOnce(text(args, 'text'), { by: 'api', viewer: viewer.id, ...(key ? { key } : {}) });
  },
  keys: (host, viewer, args) => {
    if (!host.work.terminal?.screen) throw noTerminal(host);
    return host.press(parseKeys(text(args, 'keys')), viewer.id);
  },
  emit: (host, _viewer, args) => emit(host, args),
  guide: (host, _viewer, args) => {
    if (!host.work.guide)
      throw new ReinsError('SEND_REFUSED', { reason: 'this session has no loop', fix: 'use `reins send`' });
    return host.work.guide(text(args, 'text'));
  },
};

export async function runCommand(host: Host, viewer: Viewer, asked: { name: string; args: Args }): Promise<unknown> {
  const command = Object.hasOwn(COMMANDS, asked.name) ? COMMANDS[asked.name] : undefined;
  if (!command) {
    throw new ReinsError('USAGE', {
      problem: `the host does not know ${asked.name}`,
      fix: 'is this the same version of Reins?',
    });
  }
  return command(host, viewer, asked.args);
}

/** Also asked for through the hook's own socket. */
export function emit(host: Host, args: Args): unknown {
  if (!host.work.emit)
    throw new ReinsError('SEND_REFUSED', { reason: 'this session has no loop', fix: 'use `reins run`' });
  return host.work.emit(text(args, 'topic'), optionalText(args, 'payload') ?? '');
}

function noTerminal(host: Host): ReinsError {
  const reason = host.spec.mode === 'autonomous' ? 'its agent runs headless' : 'it runs on plain pipes';
  return new ReinsError('NO_TERMINAL', { session: host.spec.id, reason });
}

/** Who answered, in words for whoever comes second: a viewer's id alone says nothing to a person. */
function whoIs({ request, id }: Viewer): string {
  if (!request) return '`reins answer`';
  const kinds = { run: 'its run', terminal: 'an attached terminal', web: 'a browser', api: 'a program' };
  return request.name ?? `${kinds[request.kind]} (${id})`;
}

function answer(host: Host, viewer: Viewer, args: Args): unknown {
  const id = text(args, 'inquiry');
  // Not only what waits visibly: an answer may come while the policy still decides.
  const inquiry = host.desk.unsettled().find((open) => open.id === id);
  const reason = optionalText(args, 'reason');
  const verdict: Verdict = !inquiry
    ? { kind: 'deny' }
    : args.input !== undefined
      ? { kind: 'allow', input: args.input }
      : wordsToVerdict(inquiry, texts(args.words), texts(args.texts));
  const given = host.desk.answer({
    inquiry: id,
    verdict,
    by: { kind: 'viewer', viewer: viewer.id, name: whoIs(viewer) },
    ...(reason === undefined ? {} : { reason }),
    ...(args.scope === 'session' || args.scope === 'once' ? { scope: args.scope } : {}),
  });
  // With what was understood, except a secret.
  const shown = inquiry ? publicAnswer(inquiry, given).verdict : given.verdict;
  const { kind, ...content } = shown;
  return { inquiry: given.inquiry, verdict: kind, ...(kind === 'values' ? content : {}) };
}

const texts = (given: unknown): string[] => (Array.isArray(given) ? given.map(String) : []);
