/** The small lines of a chat: what the loop says, who answered what, what was stopped, how it ended. */
import { nameOf } from '../../contract/index.js';
import { callLine } from '../model/chat-calls.js';
import type { ChatEnd, ChatInquiry, ChatLine, ChatRule, ChatStopped, ChatTodo } from '../model/chat-types.js';
import { inquiryPath, route } from '../model/routes.js';
import { cards, now } from '../model/store.js';
import { seenText } from '../model/visible.js';
import { clock } from '../model/words.js';
import { CopyLine } from './copy-line.js';
import { Ticked } from './ticked.js';

const shown = (text: string): string => seenText(text, { lines: true });

export function Line({ item }: { item: ChatLine }) {
  const head = (
    <span class="words">
      {shown(item.text)} <time dateTime={item.at}>{clock(item.at, now.peek())}</time>
    </span>
  );
  if (!item.more) return <p class={`line ${item.level}`}>{head}</p>;
  return (
    <details class={`line ${item.level}`}>
      <summary>{head}</summary>
      <pre>{shown(item.more.slice(0, 16_384))}</pre>
    </details>
  );
}

export const Rule = ({ item }: { item: ChatRule }) => (
  <p class="ruled">
    <span>
      {shown(item.text)} · <time dateTime={item.at}>{clock(item.at, now.peek())}</time>
    </span>
  </p>
);

/** Which words were chosen, in the words of the question. */
function chosen({ inquiry, answer }: ChatInquiry): string {
  if (answer?.verdict.kind !== 'values') return '';
  const { values } = answer.verdict;
  const said = (inquiry.questions ?? []).map(({ id, options, secret }) => {
    if (secret) return '••••';
    const labels = new Map(options.map((option) => [option.id, option.label]));
    return (values[id] ?? []).map((value) => labels.get(value) ?? value).join(', ');
  });
  return said.filter(Boolean).join('; ');
}

/** Settled by whom, in one line; empty while it is open. */
export function settledWords(item: ChatInquiry): string {
  const { answer, closed } = item;
  if (answer) {
    const { kind } = answer.verdict;
    const words = kind === 'allow' ? 'allowed' : kind === 'deny' ? 'denied' : `answered “${chosen(item)}”`;
    return `${words} by ${nameOf(answer.by)}${answer.reason ? `: ${answer.reason}` : ''}`;
  }
  if (!closed) return '';
  const who = closed.by ? ` by ${nameOf(closed.by)}` : '';
  const how = { delivered: 'settled', cancelled: 'withdrawn', expired: 'nobody answered in time' }[closed.how];
  return `${how}${who}${closed.reason ? `: ${closed.reason}` : ''}`;
}

/** Rules of the user's own that let a call pass say nothing new. */
export const isQuiet = ({ answer, inquiry }: ChatInquiry): boolean =>
  answer?.verdict.kind === 'allow' &&
  (['rule', 'grant', 'trust'].includes(answer.by.kind) || (inquiry.kind === 'deliver' && answer.by.kind !== 'viewer'));

/** An inquiry where it was asked, as a line: while it is open its card is pinned below, or in the rail. */
export function Asked({ item }: { item: ChatInquiry }) {
  const card = cards.value.get(item.id);
  const words = settledWords(item);
  const questions = item.inquiry.questions?.map(({ text }) => text).join(' · ');
  const about = questions ?? `${item.inquiry.tool ?? ''} ${callLine(item.inquiry.input)}`;
  if (card && words === '') {
    return (
      <p class="asked settled open" data-inquiry={item.id}>
        <a class="who" href={inquiryPath(item.inquiry.session, item.id)}>
          {shown(card.view.title)}: waits for an answer
        </a>
      </p>
    );
  }
  const verdict = item.answer?.verdict.kind ?? (words === '' ? 'open' : 'gone');
  return (
    <p class={`asked settled ${verdict}`} data-inquiry={item.id}>
      {item.inquiry.call === undefined || questions ? <span class="about">{shown(about)}</span> : null}
      <span class="who">
        {words === '' ? 'waits for an answer' : shown(words)}{' '}
        <time dateTime={(item.answer ?? item.closed ?? item).at}>
          {clock((item.answer ?? item.closed ?? item).at, now.peek())}
        </time>
      </span>
    </p>
  );
}

export function TodoList({ item }: { item: ChatTodo }) {
  const done = item.todos.filter(({ state }) => state === 'done').length;
  const head = `To do: ${done} of ${item.todos.length}`;
  if (item.old) return <p class="line quiet">{head}</p>;
  return (
    <section class="todo" aria-label={head}>
      <p class="head">{head}</p>
      <ul>
        {item.todos.slice(0, 60).map((todo, at) => (
          <li key={at} class={todo.state}>
            <span class="mark" role="img" aria-label={todo.state}>
              {{ done: '✓', doing: '▸', open: '○' }[todo.state]}
            </span>
            <span>{shown(todo.text)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function StoppedList({ item }: { item: Pick<ChatStopped, 'why' | 'processes' | 'left'> }) {
  const count = item.processes.length;
  const left = item.left > 0 ? `, ${item.left} could not be ended` : '';
  return (
    <details class={`line ${item.left > 0 ? 'error' : 'quiet'}`}>
      <summary>
        {count === 1 ? '1 process ended' : `${count} processes ended`}
        {left} ({shown(item.why)})
      </summary>
      <ul class="processes">
        {item.processes.slice(0, 100).map(({ pid, command, how, signal }) => (
          <li key={pid}>
            <code>{pid}</code> {how}
            {signal ? ` (${signal})` : ''} <span class="faint">{seenText(command)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What to do next. What takes a flag is done where flags are typed: the line is there to copy. */
function Advice({ words }: { words: string }) {
  const flag = / with (--[a-z-]+ \S.*)$/s.exec(words);
  const session = route.value.session;
  return (
    <>
      <p class="advice">
        Next: <Ticked text={shown(flag && session ? words.slice(0, flag.index) : words)} />
      </p>
      {flag && session ? <CopyLine line={`reins run --continue ${session} ${flag[1]}`} name="continue" /> : null}
    </>
  );
}

export function End({ item }: { item: ChatEnd }) {
  const isGood = item.outcome === 'completed';
  return (
    <section class={`end ${isGood ? 'good' : item.outcome}`} aria-label="how it ended">
      <p class="outcome">
        {isGood ? '✓ ' : ''}
        {item.outcome} · exit code {item.exitCode} · <time dateTime={item.at}>{clock(item.at, now.peek())}</time>
      </p>
      <p>{shown(item.reason)}</p>
      {item.counts ? <p class="faint">{item.counts}</p> : null}
      {item.advice ? <Advice words={item.advice} /> : null}
    </section>
  );
}
