/** What comes in through the control door, read leniently where claude is lenient and strictly where it is strict. */
import type { Permit } from './face.js';
import { textOf } from './hooks.js';

export type ControlMessage = Record<string, unknown>;
export const objectOf = (value: unknown): ControlMessage =>
  value && typeof value === 'object' ? (value as ControlMessage) : {};

export function permitOf(response: ControlMessage | undefined): Permit {
  if (response?.behavior === 'allow') {
    const input = response.updatedInput;
    if (input && typeof input === 'object') return { allowed: true, input: input as ControlMessage };
    return { allowed: false, reason: 'Tool permission request failed: updatedInput is required' };
  }
  if (response?.behavior === 'deny') {
    const reason = textOf(response.message) ?? 'denied';
    return { allowed: false, reason, ...(response.interrupt === true ? { interrupt: true } : {}) };
  }
  return { allowed: false, reason: 'Tool permission request failed: no usable answer' };
}

/** As the real one: a line that is not JSON ends the program. */
export function parse(line: string): ControlMessage {
  try {
    return objectOf(JSON.parse(line));
  } catch {
    process.stderr.write(`Error parsing streaming input line: ${line.slice(0, 200)}\n`);
    process.exit(1);
  }
}

export function promptOf(message: ControlMessage): string {
  const { content } = objectOf(message.message);
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => textOf(objectOf(part).text) ?? '').join('\n') : '';
}

const KNOWN = ['initialize', 'interrupt', 'set_model', 'set_permission_mode'];

export function responseTo(request: ControlMessage, request_id: string): object {
  const subtype = String(request.subtype);
  const about = subtype === 'initialize' ? { response: { commands: [], models: [], pid: process.pid } } : {};
  const response = KNOWN.includes(subtype)
    ? { subtype: 'success', request_id, ...about }
    : { subtype: 'error', request_id, error: `Unsupported control request subtype: ${subtype}` };
  return { type: 'control_response', response };
}
