/**
 * How a terminal calls the person it belongs to: by its bell and, where it is known to understand one, by a notification on
 * their desktop. Which one is read off the environment; a terminal inside another program's (tmux, screen) only rings.
 * Whether it is in the background we do not ask (decision 052): kitty and foot look themselves, others always show it.
 */
import type { Clock } from '../contract/index.js';
import { noticeText } from '../vt/index.js';

export type TerminalCall = 'auto' | 'bell' | 'off';

type Terminal = Readonly<Record<string, string | undefined>>;
type Notice = 'OSC 9' | 'OSC 99' | 'OSC 777';

const BELL = '\x07';

/** At most this often: who was just called is on the way, or away. */
const CALL_EVERY_MS = 10_000;

const MOST_NAME = 40;

/** By the name of its own description, which also comes along over ssh. */
const BY_TERM: [RegExp, Notice][] = [
  [/^xterm-kitty$/, 'OSC 99'],
  [/^xterm-ghostty$/, 'OSC 777'],
  [/^foot(?:-|$)/, 'OSC 777'],
  [/^rxvt-unicode/, 'OSC 777'],
  [/^wezterm$/, 'OSC 777'],
];

const BY_PROGRAM: Record<string, Notice> = {
  'iTerm.app': 'OSC 9',
  ghostty: 'OSC 777',
  WezTerm: 'OSC 777',
};

/** Undefined: its bell is all we know of it. */
export function noticeOf(env: Terminal): Notice | undefined {
  const { TERM = '', TERM_PROGRAM: program } = env;
  if (env.TMUX || env.STY || env.ZELLIJ || /^(?:screen|tmux)/.test(TERM)) return undefined;
  const named = BY_TERM.find(([pattern]) => pattern.test(TERM));
  if (named) return named[1];
  // What a terminal sets is inherited by others that are started inside it, but not what they call themselves.
  if (!TERM.startsWith('xterm')) return undefined;
  if (program) return Object.hasOwn(BY_PROGRAM, program) ? BY_PROGRAM[program] : undefined;
  if (env.KITTY_WINDOW_ID) return 'OSC 99';
  return env.LC_TERMINAL === 'iTerm2' ? 'OSC 9' : undefined;
}

/** The bytes: names only, no word of what is asked. It is there to be read when one comes. */
export function callOf(env: Terminal, who: { agent: string; session: string }): string {
  const name = (text: string) => noticeText(text.replaceAll(';', ','), MOST_NAME);
  const text = `${name(who.agent)} asks${who.session === '' ? '' : ` (${name(who.session)})`}`;
  switch (noticeOf(env)) {
    case 'OSC 9':
      return `${BELL}\x1b]9;Reins: ${text}\x1b\\`;
    case 'OSC 99':
      // Without an identifier: nobody can change it afterwards.
      return `${BELL}\x1b]99;o=unfocused;Reins: ${text}\x1b\\`;
    case 'OSC 777':
      return `${BELL}\x1b]777;notify;Reins;${text}\x1b\\`;
    default:
      return BELL;
  }
}

/** What to write for each inquiry that is new on the terminal. */
export function caller(options: {
  how: TerminalCall;
  env: Terminal;
  clock: Pick<Clock, 'now'>;
  who(): { agent: string; session: string };
}): () => string {
  const { how, env, clock, who } = options;
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    if (how === 'off' || clock.now() - last < CALL_EVERY_MS) return '';
    last = clock.now();
    return how === 'bell' ? BELL : callOf(env, who());
  };
}
