/** Tool calls read for people: one line of what a call is about, what it changes, who works for it and what runs on behind it. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const joined = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(' ') : text(value));

/** Which field of an input says best what the call is about, in this order. */
const ABOUT = [
  'command',
  'cmd',
  'file_path',
  'path',
  'notebook_path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
];
const LONGEST_LINE = 200;

/** One line: the command, the file, the address. */
export function callLine(input: unknown): string {
  const fields = fieldsOf(input);
  for (const name of ABOUT) {
    const said = joined(fields[name]).trim();
    if (said !== '') return firstLineOf(said);
  }
  const rest = typeof input === 'string' ? input : Object.keys(fields).length > 0 ? JSON.stringify(fields) : '';
  return firstLineOf(rest);
}

export function firstLineOf(words: string): string {
  const line = words.slice(0, LONGEST_LINE * 4).split('\n', 1)[0]!;
  const isMore = line.length < words.length;
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : `${line}${isMore ? ' …' : ''}`;
}

/** The whole input, for who opens the call: a command as it stands, else as JSON. */
export function inputText(input: unknown): string {
  if (typeof input === 'string') return input;
  const fields = fieldsOf(input);
  const command = joined(fields.command ?? fields.cmd);
  if (command !== '') return command;
  return JSON.stringify(input, null, 2) ?? '';
}

export interface CallChange {
  path: string;
  before: string;
  after: string;
}

/** What a call would change in which file, as far as its input tells. */
export function changesOf(tool: string, input: unknown): CallChange[] {
  const fields = fieldsOf(input);
  const path = text(fields.file_path) || text(fields.path);
  if (path === '') return [];
  if (Array.isArray(fields.edits))
    return fields.edits
      .map(fieldsOf)
      .map((edit) => ({ path, before: text(edit.old_string), after: text(edit.new_string) }));
  if (typeof fields.old_string === 'string' || typeof fields.new_string === 'string')
    return [{ path, before: text(fields.old_string), after: text(fields.new_string) }];
  const isWrite = /write|create/i.test(tool) && typeof fields.content === 'string';
  return isWrite ? [{ path, before: '', after: text(fields.content) }] : [];
}

/** A call that has another agent work. */
export const isHelper = (tool: string): boolean => tool === 'Agent' || tool === 'Task' || tool === 'invoke_agent';

/** The helper's own name, as the result of such a call says it. */
export const helperOf = (result: string): string | undefined =>
  /\bagent(?:Id|_id)"?: ?"?([\w-]+)/.exec(result.slice(0, 2000) + result.slice(-500))?.[1];

/** The name under which a call runs on, if it was sent to the background. */
export function backgroundOf(input: unknown, result: string): string | undefined {
  const fields = fieldsOf(input);
  const head = result.slice(0, 2000);
  if (fields.run_in_background === true) return /\bID: (\S+?)\.?(?:\s|$)/i.exec(head)?.[1] ?? '';
  // Gemini: one that ended at once was not moved there.
  return fields.is_background === true ? /\bto background \(PID: (\d+)\)/.exec(head)?.[1] : undefined;
}

const ENDS = new Set(['KillShell', 'KillBash', 'TaskStop']);
const LOOKS = new Set(['BashOutput', 'TaskOutput']);

/** Which background work this call ended, or looked at; `over`: the look says that it has ended. */
export function backgroundSeen(
  tool: string,
  input: unknown,
  result: string,
): { id: string; over: boolean } | undefined {
  const fields = fieldsOf(input);
  const id = text(fields.bash_id) || text(fields.shell_id) || text(fields.task_id);
  if (id === '' || !(ENDS.has(tool) || LOOKS.has(tool))) return undefined;
  return { id, over: ENDS.has(tool) || /<status>(completed|failed|killed)/.test(result.slice(0, 2000)) };
}
