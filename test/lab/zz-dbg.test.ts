import { it } from 'vitest';
import { writeFileSync } from 'node:fs';
import { entries } from '../journeys/support/journal.js';
import { openLab, runOnce, session } from './support.js';
it('dbg', async () => {
  const lab = await openLab(process.env.A as never, process.env.S!);
  const ended = await runOnce(lab, JSON.parse(process.env.ARGS ?? '[]'));
  writeFileSync("/tmp/dbg/out", JSON.stringify(ended));
  writeFileSync('/tmp/dbg/out', JSON.stringify({ ended, main: lab.server.main.map((m) => ({ turn: m.turn, prompt: m.prompt.slice(0, 300), result: m.result.slice(0, 300) })), all: lab.server.requests.map((m) => m.kind + ' ' + m.prompt.slice(0,80)), strangers: lab.server.strangers, j: entries(lab.world, await session(lab)).map((e) => `${e.ts.slice(14)} ${e.type} ${JSON.stringify(e.data).slice(0, 300)}`) }, null, 1));
});
