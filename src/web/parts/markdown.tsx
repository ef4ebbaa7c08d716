/**
 * Markdown of an agent as elements: marked reads it, we draw what it read. Nothing of it becomes HTML: markup is text, pictures
 * are never loaded, links are http(s) alone and say where they lead.
 */
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { memo } from 'preact/compat';
import { seenText } from '../model/visible.js';

/** A text is drawn in pieces of this size: a page must not be made of one message. */
const LONGEST = 48 * 1024;
/** Cells, lines of a list and the like that are drawn at most. */
const MOST_NODES = 600;

/** The page has a title and sections of its own: what an agent titles stands below them. */
const HEADINGS = ['h3', 'h4', 'h5', 'h6'] as const;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };
const plain = (text: string): string =>
  seenText(
    text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name]!),
    { lines: true },
  );

function safeAddress(href: string): URL | undefined {
  try {
    const url = new URL(href);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
  } catch {
    return undefined; // a path, or nonsense: no link
  }
}

function Link({ href, children, raw }: { href: string; raw: string; children: ComponentChildren }) {
  const url = safeAddress(href);
  if (!url) return <span class="no-link">{children}</span>;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
      {raw.includes(url.host) && !raw.startsWith('[') ? null : <span class="host"> ({seenText(url.host)})</span>}
    </a>
  );
}

/** Quotes within quotes: deeper ones cost more than there is, and nobody writes them. */
const DEEP = /^(?:[ \t]*>){30}/m;

/** What cannot be read as markdown is the text it is: one message must not take the page away. */
function read(text: string): Token[] {
  const asItIs: Token[] = [{ type: 'code', raw: text, text }];
  if (DEEP.test(text)) return asItIs;
  try {
    return lexer(text, { gfm: true, breaks: false });
  } catch {
    return asItIs;
  }
}

interface Room {
  nodes: number;
}

function inline(tokens: Token[] | undefined, room: Room): ComponentChildren {
  return (tokens as MarkedToken[] | undefined)?.map((token, at) => {
    room.nodes -= 1;
    if (room.nodes < 0) return null;
    switch (token.type) {
      case 'strong':
        return <strong key={at}>{inline(token.tokens, room)}</strong>;
      case 'em':
        return <em key={at}>{inline(token.tokens, room)}</em>;
      case 'del':
        return <del key={at}>{inline(token.tokens, room)}</del>;
      case 'codespan':
        return <code key={at}>{seenText(token.text)}</code>;
      case 'br':
        return <br key={at} />;
      case 'link':
        return (
          <Link key={at} href={token.href} raw={token.raw}>
            {inline(token.tokens, room)}
          </Link>
        );
      case 'image':
        return (
          <span key={at} class="no-picture">
            picture{token.text ? `: ${plain(token.text)}` : ''} (not loaded)
          </span>
        );
      case 'text':
        return 'tokens' in token && token.tokens ? inline(token.tokens, room) : plain(token.text);
      case 'escape':
        return plain(token.text);
      default:
        return plain(token.raw);
    }
  });
}

function List({ list, room }: { list: Tokens.List; room: Room }) {
  const items = list.items.map((item, at) => (
    <li key={at} class={item.task ? 'task' : undefined}>
      {item.task ? <span aria-hidden="true">{item.checked ? '☑ ' : '☐ '}</span> : null}
      {blocks(item.tokens, room)}
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table, room }: { table: Tokens.Table; room: Room }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section class="wide" tabIndex={0} aria-label="table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, at) => (
              <th key={at}>{inline(cell.tokens, room)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell.tokens, room)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function block(token: MarkedToken, room: Room, key: number): ComponentChildren {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading': {
      const Heading = HEADINGS[Math.min(token.depth, HEADINGS.length) - 1]!;
      return (
        <Heading key={key} class="heading">
          {inline(token.tokens, room)}
        </Heading>
      );
    }
    case 'paragraph':
      return <p key={key}>{inline(token.tokens, room)}</p>;
    case 'text':
      return <span key={key}>{token.tokens ? inline(token.tokens, room) : plain(token.text)}</span>;
    case 'code':
      return (
        <pre key={key} class="code" data-lang={token.lang || undefined}>
          <code>{seenText(token.text, { lines: true })}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote key={key}>{blocks(token.tokens, room)}</blockquote>;
    case 'list':
      return <List key={key} list={token} room={room} />;
    case 'table':
      return <Table key={key} table={token} room={room} />;
    case 'hr':
      return <hr key={key} />;
    default:
      return <p key={key}>{plain(token.raw)}</p>;
  }
}

function blocks(tokens: Token[], room: Room): ComponentChildren {
  return (tokens as MarkedToken[]).map((token, at) => {
    room.nodes -= 1;
    return room.nodes < 0 ? null : block(token, room, at);
  });
}

/** A text as its agent meant it; what is too long for a page is cut, and says so. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const shown = text.length > LONGEST ? text.slice(0, LONGEST) : text;
  const room = { nodes: MOST_NODES };
  const drawn = blocks(read(shown), room);
  const isCut = shown.length < text.length || room.nodes < 0;
  return (
    <div class="markdown">
      {drawn}
      {isCut ? <p class="faint">… the rest is in the journal: reins logs</p> : null}
    </div>
  );
});
