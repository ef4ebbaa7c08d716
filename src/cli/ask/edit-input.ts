/**
 * An input as text to edit, and back. A shell command is edited as itself, anything else as JSON; what comes back
 * replaces the input whole.
 */

export interface Editable {
  what: 'command' | 'json';
  text: string;
  /** Better in a real editor: it has several lines. */
  long: boolean;
}

/** JSON longer than this is no pleasure in one line. */
const LONGEST_LINE = 200;

export function editable(input: unknown): Editable | undefined {
  const command = commandOf(input);
  if (command !== undefined) return { what: 'command', text: command, long: command.includes('\n') };
  const text = JSON.stringify(input) as string | undefined;
  if (text === undefined) return undefined;
  return { what: 'json', text, long: text.length > LONGEST_LINE || text.includes('\\n') };
}

/** The text for a real editor. */
export function fileText(input: unknown): { text: string; suffix: string } {
  const command = commandOf(input);
  if (command !== undefined) return { text: `${command}\n`, suffix: '.sh' };
  return { text: `${JSON.stringify(input, null, 2)}\n`, suffix: '.json' };
}

export function readEdited(text: string, input: unknown): { input: unknown } | { problem: string } {
  if (commandOf(input) !== undefined) {
    const command = text.replace(/\n$/, '');
    return command.trim() === '' ? { problem: 'the command is empty' } : { input: { ...(input as object), command } };
  }
  let changed: unknown;
  try {
    changed = JSON.parse(text);
  } catch (error) {
    return { problem: `not valid JSON: ${(error as Error).message}` };
  }
  const wanted = shapeOf(input);
  return shapeOf(changed) === wanted ? { input: changed } : { problem: `the tool expects ${wanted} here` };
}

function commandOf(input: unknown): string | undefined {
  const command = (input as { command?: unknown } | null | undefined)?.command;
  return typeof command === 'string' ? command : undefined;
}

const shapeOf = (value: unknown): string =>
  Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value === 'object' ? 'an object' : typeof value;
