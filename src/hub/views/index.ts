/** The thing an inquiry is about, as a card shows it: a title in words and the whole of it, nothing left out. */
import type { Inquiry } from '../../contract/index.js';
import type { ThingView } from '../../contract/page.js';
import { canonicalTool, type ShownShell } from '../../policy/index.js';
import { changedFiles } from './files.js';
import { type CardSpan, hiddenApart, outsideMarked, plain } from './spans.js';

export interface ViewOf {
  cwd: string;
  shell: ShownShell | undefined;
}

const lines = (text: string): number => text.split('\n').length;

export function viewOf(inquiry: Inquiry, of: ViewOf): ThingView {
  if (inquiry.kind === 'question') return questionView(inquiry);
  if (inquiry.kind === 'deliver') {
    const text = inquiry.result?.text ?? '';
    const cut = inquiry.result?.truncated ? '\n… (longer)' : '';
    const title = `wants to read the result of ${inquiry.tool ?? 'a tool'}`;
    return { title, shape: 'text', spans: plain(`${text}${cut}`), lines: lines(text) };
  }
  const { tool = '', input } = inquiry;
  if (/^ExitPlanMode$/i.test(tool) && typeof field(input, 'plan') === 'string') {
    const markdown = field(input, 'plan') as string;
    const rest = others(input, 'plan');
    return {
      title: 'has a plan',
      shape: 'plan',
      markdown,
      ...(rest ? { spans: plain(rest) } : {}),
      lines: lines(markdown),
    };
  }
  // What stood on the agent's screen, as it stood there.
  if (tool === 'dialog' && typeof field(input, 'screen') === 'string') {
    const text = field(input, 'screen') as string;
    return { title: 'shows a page Reins cannot read', shape: 'text', spans: plain(text), lines: lines(text) };
  }
  switch (canonicalTool(tool)) {
    case 'Bash':
      return shellView(input, of) ?? jsonView(tool, input);
    case 'Edit':
      return diffView(tool, input, of.cwd) ?? jsonView(tool, input);
    case 'WebFetch':
      return urlView(input) ?? jsonView(tool, input);
    default:
      return jsonView(tool, input);
  }
}

const field = (input: unknown, name: string): unknown =>
  typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[name] : undefined;

/** Everything else that was said, as it stands; undefined where there is nothing. */
function others(input: unknown, ...shown: string[]): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const rest = Object.entries(input).filter(([name, value]) => !shown.includes(name) && value !== undefined);
  return rest.length === 0 ? undefined : rest.map(([name, value]) => `${name}: ${inWords(value)}`).join('\n');
}

const inWords = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');

function shellView(input: unknown, { cwd, shell }: ViewOf): ThingView | undefined {
  const name = ['command', 'cmd', 'script'].find((one) => field(input, one) !== undefined);
  const given = typeof input === 'string' ? input : name && field(input, name);
  const title = 'wants to run a command';
  const rest = name ? others(input, name) : undefined;
  const behind: CardSpan[] = rest ? plain(`\n\n${rest}`) : [];
  if (typeof given === 'string') {
    const spans = outsideMarked((shell?.spans(given) ?? [{ text: given, is: 'plain' }]) as CardSpan[], cwd);
    return { title, shape: 'shell', spans: [...hiddenApart(spans), ...behind], lines: lines(given) };
  }
  if (!Array.isArray(given) || !given.every((one) => typeof one === 'string')) return undefined;
  // Words that no shell reads: each as it is, quoted where it would be several.
  const words = given.map(
    (word, at): CardSpan => ({ text: `${at === 0 ? '' : ' '}${quoted(word)}`, is: at === 0 ? 'command' : 'word' }),
  );
  return {
    title,
    shape: 'shell',
    spans: [...hiddenApart(outsideMarked(words, cwd)), ...behind],
    lines: lines(given.join(' ')),
  };
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function diffView(tool: string, input: unknown, cwd: string): ThingView | undefined {
  const files = changedFiles(input, cwd);
  if (!files) return undefined;
  const paths = new Set(files.map(({ path }) => path));
  const [first] = paths;
  const title =
    paths.size > 1
      ? `wants to change ${paths.size} files`
      : `wants to ${files[0]?.created ? 'write' : 'change'} ${first}`;
  const count = files.reduce((sum, { before, after }) => sum + lines(before) + lines(after), 0);
  void tool;
  return { title, shape: 'diff', files, lines: count };
}

function urlView(input: unknown): ThingView | undefined {
  const url = field(input, 'url') ?? field(input, 'uri');
  if (typeof url !== 'string') return undefined;
  const rest = others(input, 'url', 'uri');
  const host = URL.canParse(url) ? new URL(url).host : url.slice(0, 80);
  const spans = plain(rest ? `${url}\n\n${rest}` : url);
  return { title: `wants to fetch ${host}`, shape: 'url', spans, lines: 1 + lines(rest ?? '') };
}

function jsonView(tool: string, input: unknown): ThingView {
  const text = input === undefined ? '' : typeof input === 'string' ? input : (JSON.stringify(input, null, 2) ?? '');
  const shape = typeof input === 'string' ? 'text' : 'json';
  return { title: `wants to use ${tool || 'a tool'}`, shape, spans: plain(text), lines: lines(text) };
}

function questionView({ questions = [], tool, input }: Inquiry): ThingView {
  const [first] = questions;
  const isTrust = tool !== undefined && /trust/i.test(tool);
  const title = isTrust
    ? 'wants to trust this folder'
    : questions.length > 1
      ? `asks you ${questions.length} things`
      : 'asks you';
  const text = input === undefined ? '' : inWords(input);
  return {
    title,
    shape: 'question',
    ...(first || text === '' ? {} : { spans: plain(text) }),
    lines: questions.reduce((sum, one) => sum + lines(one.text) + one.options.length, 0),
  };
}
