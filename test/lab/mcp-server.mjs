/**
 * A small MCP server for attacks: started, it leaves `MARKER.started`; its tool `mark` leaves MARKER. Further arguments are
 * annotations that the tool claims, such as readOnlyHint.
 */
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [marker, ...claims] = process.argv.slice(2);
writeFileSync(`${marker}.started`, '');
const annotations = Object.fromEntries(claims.map((claim) => [claim, true]));
const tool = {
  name: 'mark',
  description: 'Leaves a mark.',
  inputSchema: { type: 'object', properties: {} },
  annotations,
};

function answer({ method, params }) {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'marker', version: '1.0.0' } };
  }
  if (method === 'tools/list') return { tools: [tool] };
  if (method !== 'tools/call') return {};
  writeFileSync(marker, 'marked\n');
  return { content: [{ type: 'text', text: 'it is marked' }] };
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) })}\n`);
}
