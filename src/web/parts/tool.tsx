/** A tool call in a chat: one line with its state; opened, the whole input, what it changed, what came back, and a sub-agent's doings. */
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { callLine, changesOf, inputText } from '../model/chat-calls.js';
import type { ChatItem, ChatTool } from '../model/chat-types.js';
import { fileDiff } from '../model/diffing.js';
import { cards } from '../model/store.js';
import { seenText } from '../model/visible.js';
import { count } from '../model/words.js';
import { LongText } from './long-text.js';
import { Asked, isQuiet, settledWords } from './told.js';

const MOST_ROWS = 200;
const MOST_INSIDE = 40;

function Changes({ tool }: { tool: ChatTool }) {
  const files = useMemo(
    () =>
      changesOf(tool.tool, tool.input)
        .slice(0, 20)
        .map(({ path, before, after }) => fileDiff({ path, before, after })),
    [tool.tool, tool.input],
  );
  return (
    <>
      {files.map((file, at) => (
        <figure key={at} class="change">
          <figcaption>
            <code>{seenText(file.path)}</code> <span class="plus">+{file.added}</span>{' '}
            <span class="minus">−{file.removed}</span>
          </figcaption>
          <pre>
            {file.rows.slice(0, MOST_ROWS).map((row, line) => (
              <span key={line} class={{ '+': 'added', '-': 'removed', ' ': 'same', '@': 'gap' }[row.is]}>
                {row.is === '@' ? '⋯' : `${row.is} ${seenText(row.text)}`}
                {'\n'}
              </span>
            ))}
          </pre>
          {file.rows.length > MOST_ROWS ? (
            <p class="faint small">{count(file.rows.length - MOST_ROWS, 'more line')}</p>
          ) : null}
        </figure>
      ))}
    </>
  );
}

function stateOf(tool: ChatTool): { is: string; words: string } {
  const { inquiry, result, background } = tool;
  if (background && !background.over) return { is: 'working', words: 'runs in the background' };
  const verdict = inquiry?.answer?.verdict.kind;
  if (result?.ok) return { is: 'done', words: '' };
  if (verdict === 'deny') return { is: 'denied', words: 'denied' };
  if (result) return { is: 'failed', words: 'failed' };
  if (inquiry && settledWords(inquiry) === '') return { is: 'asks', words: 'asks you' };
  return { is: 'called', words: '' };
}

/** What a helper asked is a call of it, also where the agent keeps no record of its own of what helpers do (codex). */
function inWords(inside: ChatItem[]): string {
  const calls = inside.flatMap((one) =>
    one.kind === 'tool' ? [one] : one.kind === 'inquiry' ? [{ tool: one.inquiry.tool, input: one.inquiry.input }] : [],
  );
  const last = calls.at(-1);
  return (
    count(calls.length, 'call') + (last ? `, last: ${seenText(last.tool ?? '')} ${seenText(callLine(last.input))}` : '')
  );
}

/** `draw` draws what stands inside: any item of a chat can. */
export function Tool({ item, draw }: { item: ChatTool; draw: (item: ChatItem) => ComponentChildren }) {
  const [open, setOpen] = useState(false);
  const { inquiry, delivery, result, inside } = item;
  const { is, words } = stateOf(item);
  const isAsking = inquiry !== undefined && settledWords(inquiry) === '' && cards.value.has(inquiry.id);
  const isQuestion = inquiry?.inquiry.kind === 'question';
  const changes = open ? [] : changesOf(item.tool, item.input);
  if (isQuestion && inquiry) return <Asked item={inquiry} />;
  return (
    <div class="tool" data-is={is}>
      <button type="button" class="call" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="call-sign" aria-hidden="true" />
        <strong>{seenText(item.tool)}</strong>
        <code class="cut">{seenText(callLine(item.input))}</code>
        <span class="state">
          {changes.length > 0 ? count(changes.length, 'change') : ''} {words}
        </span>
      </button>
      {inside.length > 0 && !open ? <p class="inside-line faint">↳ {inWords(inside)}</p> : null}
      {open ? (
        <div class="opened">
          {changesOf(item.tool, item.input).length > 0 ? (
            <Changes tool={item} />
          ) : (
            <LongText text={inputText(item.input)} label="input" />
          )}
          {result && result.text !== '' ? <LongText text={result.text} cut={result.cut} label="result" /> : null}
          {inquiry && isQuiet(inquiry) ? <p class="faint small">{seenText(settledWords(inquiry))}</p> : null}
        </div>
      ) : null}
      {inside.length > 0 && open ? (
        <ol class="inside" aria-label="what the sub-agent did">
          {inside.length > MOST_INSIDE ? (
            <li class="faint">{count(inside.length - MOST_INSIDE, 'earlier one')}</li>
          ) : null}
          {inside.slice(-MOST_INSIDE).map((one) => (
            <li key={one.seq}>{draw(one)}</li>
          ))}
        </ol>
      ) : null}
      {inquiry && (isAsking || !isQuiet(inquiry)) ? <Asked item={inquiry} /> : null}
      {delivery && !isQuiet(delivery) ? <Asked item={delivery} /> : null}
    </div>
  );
}
