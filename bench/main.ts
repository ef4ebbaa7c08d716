/**
 * `npm run bench`: all parts, and docs/benchmarks.md written from what they found. `npm run bench -- echo start` runs
 * some, and what the others found before stays on the page; a part that fails leaves its figures as they were, too. `--quick`
 * takes fewer rounds and smaller loads, for trying things out, and only prints.
 */
import { readFileSync, writeFileSync } from 'node:fs';
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
import { policy } from './policy.js';
import { recording } from './recording.js';
import { circumstances, claimRow, machine, type Part, page, type Shown, shown, shownBefore } from './report.js';
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
  policy,
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

const found = new Map<Part, Shown>();
let broken = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cleanUp().then(() => process.exit(130)));
try {
  for (const part of PARTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    console.error(`${part.title} …`);
    const start = performance.now();
    // How busy the machine is with other things; after the first part, with what we did before as well.
    const load = loadavg()[0]!;
    try {
      const findings = await part.run();
      found.set(part, shown(part, findings, circumstances(load)));
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
const file = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));
const before = readFileSync(file, 'utf8');
const all = PARTS.flatMap((part) => found.get(part) ?? (quick ? [] : (shownBefore(before, part) ?? [])));
const text = page(all, machine());
if (quick || found.size === 0) process.stdout.write(text);
else {
  writeFileSync(file, text);
  console.error('wrote docs/benchmarks.md');
}
process.exit(broken === 0 ? 0 : 1);
