/**
 * What the longest task of a page costs in processor time. On a machine with other work a task of 20 ms may take 200 by the clock
 * because others run meanwhile: that says something of the machine, this of the page.
 */
import type { Page } from 'playwright-core';

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Microseconds of processor time. */
  tdur?: number;
  args: { name?: string };
}

/** Runs it and answers, beside what came of it, the longest task of the busiest page meanwhile, in ms of processor time. */
export async function withTasks<T>(page: Page, run: () => Promise<T>): Promise<T & { own: number }> {
  const cdp = await page.context().browser()!.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  cdp.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])));
  await cdp.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', '__metadata'], excludedCategories: ['*'] },
  });
  const found = await run();
  const over = new Promise((resolve) => cdp.once('Tracing.tracingComplete', resolve));
  await cdp.send('Tracing.end');
  await over;
  await cdp.detach();
  return { ...found, own: longest(events) };
}

function longest(events: TraceEvent[]): number {
  const thread = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`;
  const mains = new Set(events.filter(({ args }) => args.name === 'CrRendererMain').map(thread));
  const pages = new Map<string, { sum: number; most: number }>();
  for (const event of events) {
    if (event.ph !== 'X' || !event.name.endsWith('RunTask') || !mains.has(thread(event))) continue;
    const { sum, most } = pages.get(thread(event)) ?? { sum: 0, most: 0 };
    const ms = (event.tdur ?? 0) / 1000;
    pages.set(thread(event), { sum: sum + ms, most: Math.max(most, ms) });
  }
  const [busiest] = [...pages.values()].sort((a, b) => b.sum - a.sum);
  return busiest?.most ?? Number.NaN;
}
