/** One JSON message per line, on two streams: how an agent's program speaks with a server it started. */
import type { Readable, Writable } from 'node:stream';
import { type McpServer, parseError } from './server.js';

/** A line longer than this is no message of a caller that means well. */
const LONGEST_LINE = 4 * 1024 * 1024;

/** Contract: resolves when the caller has gone; what it still waited for is given up. */
export function serveLines(server: McpServer, input: Readable, output: Writable): Promise<void> {
  let held = '';
  const say = (message: object): void => void output.write(`${JSON.stringify(message)}\n`);
  const take = async (line: string): Promise<void> => {
    if (line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      say(parseError);
      return;
    }
    const answer = await server.take(message);
    if (answer) say(answer);
  };
  return new Promise((resolve) => {
    const end = () => {
      server.close();
      input.destroy();
      resolve();
    };
    input.setEncoding('utf8');
    input.on('data', (chunk: string) => {
      const lines = (held + chunk).split('\n');
      held = lines.pop() ?? '';
      for (const line of lines) void take(line);
      if (held.length > LONGEST_LINE) end();
    });
    input.once('end', end);
    input.once('error', end);
    output.once('error', end); // nobody reads any more
  });
}
