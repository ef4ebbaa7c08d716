/// <reference lib="dom" />
/** What keeps somebody out of a screen: axe in both themes, and targets that a finger would miss. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface AxeSaid {
  violations: { id: string; impact: string; nodes: { html: string }[] }[];
}

/** Serious and critical findings on what is shown now, by theme; on a phone also what is smaller than 44 px. Empty: none. */
export async function barriers(page: Page): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const scheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    // Colours of the other theme are on their way for a moment.
    await page.waitForFunction(() => document.getAnimations().length === 0);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    const wrong = await axe(page);
    if (wrong.length > 0) found[scheme] = wrong;
  }
  const small = (page.viewportSize()?.width ?? 0) < 760 ? await tooSmall(page) : [];
  if (small.length > 0) found.targets = small;
  return found;
}

async function axe(page: Page): Promise<string[]> {
  // Through the debugger: the page itself runs no script but its own.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(readFileSync(AXE, 'utf8'));
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(on: Document, how: object): Promise<AxeSaid> } };
    const said = await axe.run(document, { resultTypes: ['violations'] });
    return said.violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  });
}

/** Buttons and links that a finger would miss; links inside a sentence are text, and a terminal is tapped anywhere. */
function tooSmall(page: Page): Promise<string[]> {
  return page.$$eval('button, a[href], input, textarea, select, summary', (all) =>
    all
      .filter((one) => one.checkVisibility() && !one.closest('p, pre, .unseen, .xterm'))
      .map((one) => {
        const on = one.matches('input[type=radio], input[type=checkbox]') ? (one.closest('label') ?? one) : one;
        const { width, height } = on.getBoundingClientRect();
        const after = Number.parseFloat(getComputedStyle(one, '::after').inset) || 0;
        return { one, width: width - 2 * Math.min(0, after), height: height - 2 * Math.min(0, after) };
      })
      .filter(({ width, height }) => width > 0 && (width < 43.5 || height < 43.5))
      .map(({ one, width, height }) => `${one.outerHTML.slice(0, 100)} ${Math.round(width)}x${Math.round(height)}`),
  );
}
