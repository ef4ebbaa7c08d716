/** An inquiry in words, for the terminal, the inbox and chrome: what the agent wants, short and without tricks. */
import type { Inquiry } from '../contract/index.js';
import { harmless } from './table.js';

/** Lines of detail shown before "and more": enough to judge, few enough to read. */
const MOST_DETAILS = 12;

export interface Described {
  title: string;
  details: string[];
}

/** The commands that answer it, each as it can be typed: a shell would read `allow|deny` as allow, and a pipe. */
export function answerLines({ id, kind, questions = [] }: Inquiry): string[] {
  if (kind !== 'question') return [`reins answer ${id} allow`, `reins answer ${id} deny`];
  if (questions.length === 1 && questions[0]!.secret) return [`reins answer ${id} --secret`];
  const values = questions.length > 1 ? questions.map((one) => `${harmless(one.id)}=VALUE`).join(' ') : 'VALUE';
  return [`reins answer ${id} ${values}`];
}

export function describeInquiry(inquiry: Inquiry): Described {
  if (inquiry.kind === 'question') {
    const questions = inquiry.questions ?? [];
    return {
      title: questions.length === 1 ? questions[0]!.text : `${questions.length} questions`,
      details: questions.flatMap((question) => [
        ...(questions.length > 1 ? [`${question.id}: ${question.text}`] : []),
        ...question.options.map((option, index) => {
          const preset = question.default?.includes(option.id) ? ' (default)' : '';
          return `${index + 1}. ${option.label}${preset}${option.description ? ` – ${option.description}` : ''}`;
        }),
      ]),
    };
  }
  const verb = inquiry.kind === 'run' ? 'wants to use' : 'wants to read the result of';
  const { line, details } = callInWords(inquiry.input);
  const more = inquiry.reason ? [`because: ${inquiry.reason}`] : [];
  return { title: `${verb} ${inquiry.tool ?? 'a tool'}${line ? `: ${line}` : ''}`, details: [...details, ...more] };
}

/** The one field that says it all, and the rest as lines. */
export function callInWords(input: unknown): { line: string; details: string[] } {
  if (typeof input !== 'object' || input === null)
    return { line: input === undefined ? '' : String(input), details: [] };
  const fields = input as Record<string, unknown>;
  const main = ['command', 'file_path', 'path', 'url', 'pattern', 'query', 'title', 'description'].find(
    (name) => typeof fields[name] === 'string' || Array.isArray(fields[name]),
  );
  const value = main ? fields[main] : undefined;
  const line = value === undefined ? '' : Array.isArray(value) ? value.join(' ') : String(value);
  const rest = Object.entries(fields)
    .filter(([name]) => name !== main)
    .flatMap(([name, field]) => `${name}: ${typeof field === 'string' ? field : JSON.stringify(field)}`.split('\n'));
  const details = [...(line.includes('\n') ? line.split('\n').slice(1) : []), ...rest];
  const shown = details.slice(0, MOST_DETAILS);
  if (details.length > shown.length) shown.push(`… and ${details.length - shown.length} more lines`);
  return { line: line.split('\n')[0] ?? '', details: shown };
}
