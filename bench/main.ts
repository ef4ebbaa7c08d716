/**
 * `npm run bench`: all parts, and docs/benchmarks.md written from what they found. `npm run bench -- echo start` runs
 * some and only prints; `--quick` takes fewer rounds and smaller loads, for trying things out, and only prints too.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { asked } from './asked.js';
import { echo } from './echo.js';
import { gate } from './gate.js';
import { hubCost } from './hub.js';
import { idleCpu } from './idle-cpu.js';
import { journal } from './journal.js';
import { cleanUp, quick } from './lab.js';
import { lateViewer } from './late-viewer.js';
import { memory } from './memory.js';
import { nextAgent } from './next-agent.js';
import { nothing } from './nothing.js';
import { webPage } from './page.js';
import { recording } from './recording.js';
import { claimRow, type Findings, machine, type Part, page } from './report.js';
import { start } from './start.js';
import { thousands } from './thousands.js';
import { throughput } from './throughput.js';
import { manyViewers } from './viewers.js';

const PARTS: Part[] = [
  throughput,
  manyViewers,
  echo,
  start,
  nextAgent,
  nothing,
  memory,
  idleCpu,
  lateViewer,
  gate,
  asked,
  journal,
  recording,
  thousands,
  webPage,
  hubCost,
];

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const unknown = wanted.filter((name) => !PARTS.some((part) => part.name === name));
if (unknown.length > 0) {
  console.error(`there is no part ${unknown.join(', ')}; parts: ${PARTS.map((part) => part.name).join(', ')}`);
  process.exit(2);
}

/** How busy the machine is with other things. */
const load = loadavg()[0]!;
const found: { part: Part; findings: Findings }[] = [];
let broken = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cleanUp().then(() => process.exit(130)));
try {
  for (const part of PARTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    console.error(`${part.title} …`);
    const start = performance.now();
    try {
      const findings = await part.run();
      found.push({ part, findings });
      for (const claim of findings.claims) console.error(`  ${claimRow(claim).join('  ')}`);
    } catch (error) {
      broken += 1;
      console.error(`  it failed: ${(error as Error).stack}`);
    }
    console.error(`  ${Math.round((performance.now() - start) / 1000)} s`);
  }
} finally {
  await cleanUp();
}
const text = page(found, machine(load));
if (wanted.length === 0 && !quick && broken === 0) {
  const file = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));
  writeFileSync(file, text);
  console.error(`wrote ${existsSync(file) ? 'docs/benchmarks.md' : 'nothing'}`);
} else process.stdout.write(text);
process.exit(broken === 0 ? 0 : 1);
