/** Entries that are one line in a chat: the loop's own words, gates, hats, notices, consultations. */
import type { Entry } from '../../contract/index.js';
import type { ChatItem, ChatLine, ChatRule } from './chat-types.js';
import { clock } from './words.js';

type ChatWords = Pick<ChatLine, 'kind' | 'level' | 'text' | 'more' | 'instead'> | Pick<ChatRule, 'kind' | 'text'>;

const line = (level: ChatLine['level'], text: string, more?: string): ChatWords => ({
  kind: 'line',
  level,
  text,
  ...(more ? { more } : {}),
});

const seconds = (n: number): string =>
  n < 90 ? `${Math.round(n)} s` : n < 5400 ? `${Math.round(n / 60)} min` : `${(n / 3600).toFixed(1)} h`;
const money = (usd: number | undefined): string => (usd === undefined ? '' : ` · $${usd.toFixed(2)}`);

/** Undefined: nothing a chat shows by itself. */
export function lineOf(entry: Entry): ChatWords | undefined {
  switch (entry.type) {
    case 'session.started': {
      const { agent, mode, continues, changed = [] } = entry.data;
      const words = continues ? `${agent} goes on` : `${agent} · ${mode === 'autonomous' ? 'works alone' : 'with you'}`;
      const news = changed.map(({ what, from, to }) => `${what}${from ? ` ${from}` : ''}${to ? ` → ${to}` : ''}`);
      return { kind: 'rule', text: [words, ...news].join(' · ') };
    }
    case 'iteration.started': {
      const { iteration, max, hat, coordinator, attempt } = entry.data;
      const wearer = hat ? ` · ${hat}` : coordinator ? ' · coordinator' : '';
      const again = attempt ? ` · attempt ${attempt}` : '';
      return { kind: 'rule', text: `iteration ${iteration}${max ? ` of ${max}` : ''}${wearer}${again}` };
    }
    case 'iteration.ended': {
      const { outcome, seconds: took, cost_usd, reason, completion } = entry.data;
      const why = outcome === 'completed' || !reason ? '' : `: ${reason}`;
      const not =
        completion?.claimed && !completion.accepted ? line('warn', `not complete: ${completion.reason}`) : undefined;
      return (
        not ??
        line(outcome === 'completed' ? 'quiet' : 'warn', `${outcome} in ${seconds(took)}${money(cost_usd)}${why}`)
      );
    }
    case 'hat.worn':
      return line('quiet', `wears ${entry.data.hat}: ${entry.data.because}`);
    case 'gate.ran': {
      const { gate, ok, seconds: took, tail, exit_code } = entry.data;
      const how = ok ? 'passed' : `failed${exit_code === null ? '' : ` with ${exit_code}`}`;
      return line(ok ? 'good' : 'error', `gate ${gate} ${how} (${seconds(took)})`, ok ? undefined : tail);
    }
    case 'event.published': {
      const { topic, accepted, reason, payload } = entry.data;
      return line(accepted ? 'quiet' : 'warn', `⇢ ${topic}${accepted ? '' : ` (dropped: ${reason ?? ''})`}`, payload);
    }
    case 'turn.ended':
      if (entry.data.ok) return undefined;
      return line('warn', entry.data.interrupted ? 'interrupted' : (entry.data.reason ?? 'the turn failed'));
    case 'agent.ended':
      return entry.data.ok || !entry.data.reason ? undefined : line('quiet', `the agent ended: ${entry.data.reason}`);
    case 'ungated':
      return line(
        'error',
        `${entry.data.tool} ran without an allow on record (${entry.data.why}): ${entry.data.cause}`,
      );
    case 'consultation.started': {
      const { adapter, model } = entry.data;
      return line('quiet', `asks ${adapter}${model ? ` (${model})` : ''} in your place`);
    }
    case 'consultation.ended':
      return consulted(entry.data);
    case 'state.changed':
      return detail(entry.data);
    case 'notice': {
      const { level, text, code } = entry.data;
      // By what name the agent knows it is for who continues it, not for who reads.
      if (code === 'conversation') return undefined;
      return line(level === 'info' ? 'info' : level, text);
    }
    default:
      return loopLine(entry);
  }
}

function loopLine(entry: Entry): ChatWords | undefined {
  if (!entry.type.startsWith('loop.')) return undefined;
  const { level, text } = entry.data as { level: 'info' | 'warn'; text: string };
  const shown = line(level, waitWords(entry) ?? text);
  const waits = entry.type === 'loop.waiting' || entry.type === 'loop.outage';
  return waits ? ({ ...shown, instead: entry.type } as ChatWords) : shown;
}

/** Until when, by the reader's own clock: what the host wrote down is for machines. */
function waitWords(entry: Entry): string | undefined {
  const at = (until: number): string => clock(until, Date.parse(entry.ts));
  if (entry.type === 'loop.waiting') return `waits until ${at(entry.data.until)}: ${entry.data.why}`;
  if (entry.type !== 'loop.limited') return undefined;
  const { message, until } = entry.data;
  return `usage limit${until === undefined ? '' : ` until ${at(until)}`}: ${message}`;
}

const LEVELS = ['quiet', 'info', 'good', 'warn', 'error'] as const;
const stronger = (a: ChatLine, b: ChatLine): ChatLine['level'] =>
  LEVELS[Math.max(LEVELS.indexOf(a.level), LEVELS.indexOf(b.level))]!;

/** The one line that stands for two in a row: a newer one of its sort, or the one that says all of what the other says. */
export function oneLine(last: ChatItem | undefined, next: ChatLine): ChatLine | undefined {
  if (last?.kind !== 'line') return undefined;
  if (next.instead !== undefined && last.instead === next.instead) return { ...next, seq: last.seq };
  if (last.more !== undefined || next.more !== undefined) return undefined;
  if (next.text.includes(last.text)) return { ...next, seq: last.seq, level: stronger(last, next) };
  return last.text.includes(next.text) ? { ...last, level: stronger(last, next) } : undefined;
}

function consulted(data: Entry<'consultation.ended'>['data']): ChatWords {
  const { adapter, how, reason, confidence, seconds: took, cost_usd, cites } = data;
  const sure = confidence === undefined ? '' : ` (${confidence.toFixed(2)})`;
  const words = how === 'answered' ? 'answered' : how === 'suggested' ? 'suggests an answer' : `gave no answer: ${how}`;
  const evidence = (cites ?? []).map(({ name, quote }) => `${name}${quote ? `: “${quote}”` : ''}`).join('\n');
  const more = [reason, evidence].filter(Boolean).join('\n');
  const level = how === 'answered' || how === 'suggested' ? 'info' : 'warn';
  return line(level, `${adapter} ${words}${sure} · ${seconds(took)}${money(cost_usd)}`, more);
}

/** A retry, a limit: only the newest of a row of them says something. */
function detail(data: Entry<'state.changed'>['data']): ChatWords | undefined {
  if (!data.detail || data.state === 'ended' || data.state === 'asking') return undefined;
  const shown = line('warn', data.detail);
  return { ...shown, instead: 'state' } as ChatWords;
}
